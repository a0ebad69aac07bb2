/**
 * How a request is refused: one shape for people and programs, whatever went wrong.
 */
import { jsonText } from '@fleet-estop/sentinel-core';
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

/** Whatever says something of a hold or a gateway: what Hono makes of it is not for every reader. */
export const answerJson = (
  c: Context,
  document: object,
  status: ContentfulStatusCode = 200,
): Response => c.body(jsonText(document), status, { 'Content-Type': 'application/json' });

export function refuse(c: Context, { status, ...said }: Refusal): Response {
  return answerJson(c, { schema: 'fleet/error/v1', ...said }, status);
}

export const refusal = (
  status: ContentfulStatusCode,
  code: string,
  message: string,
  hint: string,
): Refusal => ({ status, code, message, hint });
