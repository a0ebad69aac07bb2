/**
 * `/v1/wait`: a long poll for the state of some profiles, answered when it changes.
 * What has changed is `state/views.ts`. A request that waits counts as a stream: the limits are
 * `stream-admission.ts`.
 */
import { MAX_WAIT_PROFILES } from '@fleet-estop/protocol';
import { isProfileName } from '@fleet-estop/sentinel-core';
import type { HttpBindings } from '@hono/node-server';
import type { Context, Handler } from 'hono';
import type { StateView, StateViews } from '../state/views.ts';
import { type HttpError, httpError, sendError } from './answers.ts';
import type { WhoAsks } from './client.ts';
import { sendTooManyStreams } from './stream.ts';
import type { StreamAdmission } from './stream-admission.ts';

export interface WaitOptions {
  readonly views: StateViews;
  readonly admission: StreamAdmission;
  readonly whoAsks: WhoAsks;
}

export interface WaitQuery {
  /** Empty: all. */
  readonly profiles: readonly string[];
  readonly timeoutMs: number;
}

const KEYS = ['profile', 'timeout'];
/** Below the time after which a listener closes a connection without a byte. */
const MAX_TIMEOUT_MS = 20_000;

export function waits({
  views,
  admission,
  whoAsks,
}: WaitOptions): Handler<{ Bindings: HttpBindings }> {
  return async (c) => {
    const query = parseWaitQuery(c.req.queries());
    if ('status' in query) return sendError(c, query);
    const { profiles, timeoutMs } = query;
    const tag = c.req.header('if-none-match');
    if (tag === undefined || c.req.method === 'HEAD') return send(c, views.now(profiles), tag);
    const slot = admission.admit(whoAsks(c), () => wait.end());
    if ('cap' in slot) return sendTooManyStreams(c, whoAsks(c), slot);
    const wait = views.changed(profiles, tag, timeoutMs);
    const { incoming, outgoing } = c.env;
    outgoing.once('close', wait.end);
    // An answer queued behind another one is never reported as closed.
    incoming.socket.once('close', wait.end);
    const view = await wait.view;
    incoming.socket.off('close', wait.end);
    slot.release();
    return send(c, view, tag);
  };
}

function send(c: Context, { tag, text }: StateView, known: string | undefined): Response {
  c.header('ETag', tag);
  c.header('Cache-Control', 'no-cache');
  if (tag === known) return c.body(null, 304);
  return c.body(text, 200, { 'Content-Type': 'application/json' });
}

export function parseWaitQuery(
  query: Readonly<Record<string, readonly string[]>>,
): WaitQuery | HttpError {
  const unknown = Object.keys(query).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) return invalid('unknown parameter', `use ${KEYS.join(', ')}`);
  const { profile: profiles = [], timeout = [] } = query;
  if (profiles.length > MAX_WAIT_PROFILES) {
    return invalid('too many profiles', `name at most ${MAX_WAIT_PROFILES}, or none for all`);
  }
  if (!profiles.every(isProfileName)) {
    return invalid(
      '`profile` is not a valid profile name',
      'see /v1/state for the profiles that exist',
    );
  }
  if (timeout.length > 1) return invalid('`timeout` is given twice', 'give it once');
  const [text = `${MAX_TIMEOUT_MS}`] = timeout;
  const timeoutMs = /^[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(timeoutMs)) {
    return invalid('`timeout` is not valid', `give milliseconds, at most ${MAX_TIMEOUT_MS}`);
  }
  return {
    profiles: [...new Set(profiles)].sort(),
    timeoutMs: Math.min(timeoutMs, MAX_TIMEOUT_MS),
  };
}

const invalid = (message: string, hint: string): HttpError =>
  httpError(400, 'value-invalid', message, hint);
