/**
 * The answer to a request that fails: one JSON shape for people and programs.
 */
import { jsonText } from '@fleet-estop/sentinel-core';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

export interface HttpError {
  readonly status: ContentfulStatusCode;
  /** Stable; the message is for people. */
  readonly code: string;
  readonly message: string;
  /** What to do now. */
  readonly hint: string;
}

/**
 * For every document about holds or gateways: `jsonText` replaces lone surrogates, which many JSON
 * readers refuse and Hono's `c.json` would pass on.
 */
export const sendJson = (
  c: Context,
  document: object,
  status: ContentfulStatusCode = 200,
): Response => c.body(jsonText(document), status, { 'Content-Type': 'application/json' });

export function sendError(c: Context, { status, ...body }: HttpError): Response {
  return sendJson(c, { schema: 'fleet/error/v1', ...body }, status);
}

export const httpError = (
  status: ContentfulStatusCode,
  code: string,
  message: string,
  hint: string,
): HttpError => ({ status, code, message, hint });
