/**
 * Parses the body of `POST /v1/profiles/:name/cut` strictly.
 */
import { replaceHidden } from '@fleet-estop/sentinel-core';
import { type HttpError, httpError } from './answers.ts';
import type { ServeContext } from './context.ts';
import { repeatedKey } from './repeated-key.ts';

type CutRequest = Parameters<ServeContext['cut']>[1];

const KEYS = ['id', 'reason', 'deadline_ms'];
const MAX_ID = 256;
const MAX_REASON = 1_024;
const MAX_DEADLINE_MS = 600_000;

export function parseCutRequest(text: string): CutRequest | HttpError {
  const fields = objectOf(text);
  if (fields === null || repeatedKey(text) !== null) {
    return invalid('the body is not a JSON object with each key once', `send ${KEYS.join(', ')}`);
  }
  const unknown = Object.keys(fields).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    return invalid(`\`${shown(unknown)}\` is not known`, `send ${KEYS.join(', ')}`);
  }
  const { id, reason, deadline_ms } = fields;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID) {
    return invalid('`id` is not a text', `name the operation in 1 to ${MAX_ID} characters`);
  }
  if (typeof reason !== 'string' || reason.length > MAX_REASON) {
    return invalid('`reason` is not a text', `use at most ${MAX_REASON} characters`);
  }
  const isTime = typeof deadline_ms === 'number' && Number.isSafeInteger(deadline_ms);
  if (!isTime || deadline_ms < 1 || deadline_ms > MAX_DEADLINE_MS) {
    return invalid('`deadline_ms` is not a time', `use milliseconds from 1 to ${MAX_DEADLINE_MS}`);
  }
  return { id, reason, deadline_ms };
}

const invalid = (message: string, hint: string): HttpError =>
  httpError(400, 'request-invalid', message, hint);

const shown = (key: string): string => replaceHidden(key.slice(0, 80), '?');

function objectOf(text: string): { readonly [key: string]: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as { readonly [key: string]: unknown }) : null;
  } catch {
    return null;
  }
}
