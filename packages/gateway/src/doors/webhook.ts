/**
 * The webhook door: decides whether a request may be accepted. Ask after authentication and validation,
 * and before anything is claimed: an outsider learns nothing, and the sender can retry.
 * The adapters for frameworks are `node-http.ts`, `fastify.ts` and `fetch.ts`.
 */
import type { Applicant, Door, Gate } from '../gate/gate.ts';
import { type HttpAnswer, pausedAnswer, unauthenticatedAnswer, undecidedAnswer } from './answer.ts';
import { atOnce, mistakesOf, type OnMistake } from './mistakes.ts';

const DOOR: Door = 'cron-webhook';

export interface WebhookOptions<Request> {
  /**
   * Returns the authenticated principal of the request, synchronously. null, undefined or '': nobody is
   * authenticated, and the answer is 401, held or not.
   */
  readonly principal: (request: Request) => string | null | undefined;
  /** The serving profile, or a function of the request. Required if the gate serves several. */
  readonly profile?: string | ((request: Request) => string);
  /** Default: `cron-webhook`. */
  readonly door?: Door;
  /** `WWW-Authenticate` of the 401. Default: `Bearer`. */
  readonly challenge?: string;
  /** Called with what `principal` or `profile` threw; the request got 503. Default: one process warning. */
  readonly onMistake?: OnMistake;
}

/**
 * The answer that refuses a request, or null if it may be accepted. A refusal leaves one receipt.
 * `principal` must be authenticated: the answer contains the reason of a pause. Default door:
 * `cron-webhook`. Throws only what `gate.admit` throws.
 */
export function webhookAnswer(
  gate: Gate,
  applicant: Omit<Applicant, 'door'> & { readonly door?: Door },
): HttpAnswer | null {
  const admission = gate.admit({ ...applicant, door: applicant.door ?? DOOR });
  return admission.admitted ? null : pausedAnswer(admission);
}

/** Decides for one request of any framework. Never throws: an error becomes a 503. */
export function webhookDoor<Request>(
  gate: Gate,
  options: WebhookOptions<Request>,
): (request: Request) => HttpAnswer | null {
  const { door = DOOR, challenge = 'Bearer', profile } = options;
  gate.announce(door, typeof profile === 'string' ? profile : undefined);
  const mistake = mistakesOf(door, options.onMistake);
  return (request) => {
    try {
      const principal = atOnce(options.principal(request), '`principal`') ?? null;
      if (principal === null || principal === '') return unauthenticatedAnswer(challenge);
      if (typeof principal !== 'string') {
        throw new TypeError('`principal` must return text or null');
      }
      const serving =
        typeof profile === 'function' ? atOnce(profile(request), '`profile`') : profile;
      return webhookAnswer(gate, {
        door,
        principal,
        ...(serving === undefined ? {} : { profile: serving }),
      });
    } catch (error) {
      mistake(error);
      return undecidedAnswer();
    }
  };
}
