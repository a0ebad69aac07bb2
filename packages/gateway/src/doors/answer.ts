/**
 * Builds the answers of an HTTP door: problem details (RFC 9457).
 * The decision is `webhook.ts`; sending is `node-http.ts`, `fastify.ts` and `fetch.ts`.
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

/** Problem type of a pause. It distinguishes our 503 from that of a proxy or an overloaded server. */
export const PAUSED_TYPE = 'urn:fleet-estop:problem:paused';
const UNDECIDED_TYPE = 'urn:fleet-estop:problem:undecided';

/** Seconds. Some senders give up after a few attempts, so a longer wait would lose webhooks. */
const MAX_RETRY_AFTER = 60;

/** The 503 of a pause. It contains the reason, so send it only to an authenticated sender. */
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

/** The 401. It does not depend on the gate, so it tells an outsider nothing. */
export const unauthenticatedAnswer = (challenge: string): HttpAnswer =>
  problem(
    { type: 'about:blank', title: 'Unauthorized', status: 401 },
    { 'www-authenticate': challenge },
  );

/** The 503 after an error in the author's functions. It does not depend on the gate and has no details. */
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
    // A proxy that stored the answer would refuse even after the lift.
    headers: {
      ...headers,
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
    },
    body: jsonText(body),
  };
}
