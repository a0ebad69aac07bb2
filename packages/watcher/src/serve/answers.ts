/**
 * How a request is refused: one shape for people and programs, whatever went wrong.
 */
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

export interface Refusal {
  readonly status: ContentfulStatusCode;
  /** Stable; the message is for people. */
  readonly code: string;
  readonly message: string;
  /** What to do now. */
  readonly hint: string;
}

export function refuse(c: Context, { status, ...said }: Refusal): Response {
  return c.json({ schema: 'fleet/error/v1', ...said }, status);
}

export const refusal = (
  status: ContentfulStatusCode,
  code: string,
  message: string,
  hint: string,
): Refusal => ({ status, code, message, hint });
