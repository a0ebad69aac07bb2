/**
 * Sends HTTP requests to the watcher over its unix socket. It returns errors and never throws, because nothing
 * that the CLI does to holds depends on a daemon [11].
 * Parsing and checking an answer is up to the caller.
 */

import { lstatSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { MAX_SOCKET_PATH } from '@fleet-estop/protocol';

export interface NotReached {
  readonly reached: false;
  /** Why there is no answer, for people. */
  readonly why: string;
  /** No process listens on the socket: no watcher runs. */
  readonly absent: boolean;
}

export interface Reached {
  readonly reached: true;
  readonly status: number;
  /** The body is not read yet. A caller that does not read it must `destroy` the response. */
  readonly response: IncomingMessage;
}

export interface Answered {
  readonly reached: true;
  readonly status: number;
  /** The ETag for `If-None-Match`; null: there is none. */
  readonly tag: string | null;
  readonly text: string;
}

export interface RequestOptions {
  /** Aborts the request, and the response while it is read. */
  readonly signal?: AbortSignal;
  /** How long the head of the answer may take. Default: no limit. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON with POST. Default: a GET without a body. */
  readonly post?: unknown;
}

/** The state of ten thousand profiles with as many gateways is a third of this. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const unreached = (why: string, absent = false): NotReached => ({ reached: false, why, absent });

const watcherSocket = (root: string): string => join(root, '.fleet', 'http.sock');

/** Resolves with the head of the answer. `path` begins with a slash. */
export async function requestWatcher(
  root: string,
  path: string,
  { signal, timeoutMs, headers: given = {}, post }: RequestOptions = {},
): Promise<Reached | NotReached> {
  const socketPath = watcherSocket(root);
  const obstacle = obstacleAt(socketPath);
  if (obstacle !== null) return obstacle;
  if (signal?.aborted) return unreached(NOT_ASKED);
  // Loading Node's HTTP client takes longer than a whole verb, so it is loaded only if a watcher may answer.
  const { request } = await import('node:http');
  return new Promise((resolve) => {
    const method = post === undefined ? 'GET' : 'POST';
    const type = post === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...type, ...given };
    const where = { socketPath, path, method, agent: false as const, headers };
    const asked = request({ ...where, ...(signal && { signal }) });
    const late =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => {
            resolve(unreached(lateText(timeoutMs)));
            asked.destroy();
          }, timeoutMs);
    const settle = (outcome: Reached | NotReached): void => {
      clearTimeout(late);
      resolve(outcome);
    };
    asked.once('response', (response) => {
      // The response fails if the watcher dies, and not every caller listens for that error.
      response.on('error', () => {});
      settle({ reached: true, status: response.statusCode ?? 0, response });
    });
    // Errors can come more than once, and after the answer.
    asked.on('error', (error: NodeJS.ErrnoException) => settle(refusedBy(error)));
    asked.end(post === undefined ? undefined : JSON.stringify(post));
  });
}

/** Resolves with the whole answer. Size and time are limited. */
export async function askWatcher(
  root: string,
  path: string,
  options: RequestOptions & { readonly timeoutMs: number },
): Promise<Answered | NotReached> {
  const { timeoutMs } = options;
  const started = performance.now();
  const asked = await requestWatcher(root, path, options);
  if (!asked.reached) return asked;
  const { status, response } = asked;
  const tag = response.headers.etag ?? null;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const leftMs = Math.max(1, timeoutMs - (performance.now() - started));
    const late = setTimeout(() => end(unreached(lateText(timeoutMs))), leftMs);
    const end = (outcome: Answered | NotReached): void => {
      clearTimeout(late);
      resolve(outcome);
      response.destroy();
    };
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > MAX_BODY_BYTES) end(unreached(`its answer is over ${MAX_BODY_BYTES} bytes`));
    });
    response.once('end', () => {
      end({ reached: true, status, tag, text: Buffer.concat(chunks).toString('utf8') });
    });
    response.once('error', (error: NodeJS.ErrnoException) => end(refusedBy(error)));
    response.once('close', () => end(unreached('it ended before its answer was complete')));
  });
}

/** Why no request can succeed, found without connecting; null: a watcher may answer. */
function obstacleAt(path: string): NotReached | null {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    return unreached(`the path of its socket is longer than ${MAX_SOCKET_PATH} bytes`);
  }
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return unreached('it does not run', true);
    return found.isSocket() ? null : unreached('the file at its socket path is not a socket');
  } catch (error) {
    return refusedBy(error as NodeJS.ErrnoException);
  }
}

const NOT_ASKED = 'the request was cancelled';
const lateText = (timeoutMs: number): string =>
  `it has not answered in ${Math.round(timeoutMs)} ms`;

const SENTENCES: Readonly<Record<string, string>> = {
  ENOENT: 'it does not run',
  ENOTDIR: 'it does not run',
  ECONNREFUSED: 'it does not run any more',
  EACCES: 'this user may not ask it',
  EPERM: 'this user may not ask it',
  ECONNRESET: 'it ended before it answered',
  EPIPE: 'it ended before it answered',
};
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ECONNREFUSED']);

function refusedBy({ code, message }: NodeJS.ErrnoException): NotReached {
  if (code === undefined) return unreached(message);
  if (code === 'ABORT_ERR') return unreached(NOT_ASKED);
  const sentence = SENTENCES[code];
  return unreached(sentence === undefined ? code : `${sentence} (${code})`, ABSENT.has(code));
}
