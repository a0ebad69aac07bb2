/**
 * The webhook door: may this request be accepted? Asked after authentication and validation, and
 * before anything is claimed, so that an outsider learns nothing and the sender can send it again.
 * How a framework hands over the request is `node-http.ts`, `fastify.ts` and `fetch.ts`.
 */
import type { Applicant, Door, Gate } from '../gate/gate.ts';
import { type HttpAnswer, pausedAnswer, unauthenticatedAnswer, undecidedAnswer } from './answer.ts';
import { atOnce, mistakesOf, type OnMistake } from './mistakes.ts';

const DOOR: Door = 'cron-webhook';

export interface WebhookOptions<Request> {
  /**
   * Who has been authenticated, from what your own authentication left with the request; null or
   * undefined: nobody, and the answer is 401 whatever holds. Answers at once, not by a promise.
   */
  readonly principal: (request: Request) => string | null | undefined;
  /** The serving profile; may be left out where the gate serves one only. */
  readonly profile?: string | ((request: Request) => string);
  /** Default: `cron-webhook`. */
  readonly door?: Door;
  /** `WWW-Authenticate` of the 401. Default: `Bearer`. */
  readonly challenge?: string;
  /** Hears what `principal` or `profile` threw; the request has been refused with 503. */
  readonly onMistake?: OnMistake;
}

/**
 * What to answer instead of accepting, or null: it may be accepted. A refusal leaves one receipt.
 * Throws only where `gate.admit` does. The caller has authenticated `principal`: the answer tells
 * the reason of a pause.
 */
export function webhookAnswer(
  gate: Gate,
  applicant: Omit<Applicant, 'door'> & { readonly door?: Door },
): HttpAnswer | null {
  const admission = gate.admit({ ...applicant, door: applicant.door ?? DOOR });
  return admission.admitted ? null : pausedAnswer(admission);
}

/** Decides for one request of any framework. Never throws: what is not decided is refused. */
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
        throw new TypeError('`principal` must answer with text or null');
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
