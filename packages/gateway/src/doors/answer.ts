/**
 * What an HTTP door answers instead of the author's own handler: problem details (RFC 9457).
 * When it does is `webhook.ts`; how each framework sends it is `node-http.ts`, `fastify.ts`, `fetch.ts`.
 */
import { jsonText } from '@fleet-estop/sentinel-core';
import type { Refused } from '../gate/gate.ts';

export interface HttpAnswer {
  readonly status: 401 | 503;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
}

/** What tells our 503 from one of a proxy, or of an overloaded server. */
export const PAUSED_TYPE = 'urn:fleet-estop:problem:paused';
const UNDECIDED_TYPE = 'urn:fleet-estop:problem:undecided';

/** Seconds. Senders who give up early do so after a few attempts, so longer would lose webhooks. */
const MAX_RETRY_AFTER = 60;

/** Says why: whoever gets this has been authenticated. */
export function pausedAnswer({ notice, profile, until, holds, retryAfter }: Refused): HttpAnswer {
  const seconds = Number.isFinite(retryAfter) ? Math.ceil(retryAfter) : MAX_RETRY_AFTER;
  return problem(
    {
      type: PAUSED_TYPE,
      title: 'Paused',
      status: 503,
      detail: notice,
      profile,
      until,
      holds: holds.map(({ id }) => id),
    },
    { 'retry-after': String(Math.min(MAX_RETRY_AFTER, Math.max(1, seconds))) },
  );
}

/** The same whatever holds: it is answered without asking the gate. */
export const unauthenticatedAnswer = (challenge: string): HttpAnswer =>
  problem(
    { type: 'about:blank', title: 'Unauthorized', status: 401 },
    { 'www-authenticate': challenge },
  );

/** The same whatever holds, and why is not for whoever asked. */
export const undecidedAnswer = (): HttpAnswer =>
  problem(
    { type: UNDECIDED_TYPE, title: 'Not decided', status: 503 },
    { 'retry-after': String(MAX_RETRY_AFTER) },
  );

function problem(
  body: { readonly status: HttpAnswer['status'] } & Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>>,
): HttpAnswer {
  return {
    status: body.status,
    // Stored by a proxy, it would go on refusing after the lift.
    headers: {
      ...headers,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    },
    body: jsonText(body),
  };
}
