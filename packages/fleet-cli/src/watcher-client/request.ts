/**
 * Asks the watcher of a fleet over its unix socket. Whatever happens is an answer and never an
 * exception: nothing that the CLI does to holds depends on a daemon [11].
 * What an answer means is for whoever asks: it was said by another process, and is only text.
 */

import { lstatSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { MAX_SOCKET_PATH } from '@fleet-estop/wire';

export interface NotReached {
  readonly reached: false;
  /** For people: why there is no answer. */
  readonly why: string;
  /** Nobody listens there: no watcher runs. */
  readonly absent: boolean;
}

export interface Reached {
  readonly reached: true;
  readonly status: number;
  /** Its body is not read yet. Whoever does not want it must `destroy` it. */
  readonly response: IncomingMessage;
}

export interface Answered {
  readonly reached: true;
  readonly status: number;
  /** Names what was answered, for `If-None-Match`; null: it has no name. */
  readonly tag: string | null;
  readonly text: string;
}

export interface RequestOptions {
  /** Ends the request, and the response that is being read. */
  readonly signal?: AbortSignal;
  /** How long the head of an answer may take. Default: as long as it takes. */
  readonly timeoutMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The document of ten thousand profiles with as many gateways is a third of it. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

const unreached = (why: string, absent = false): NotReached => ({ reached: false, why, absent });

export const watcherSocket = (root: string): string => join(root, '.fleet', 'http.sock');

/** Resolves with the head of the answer. `path` begins with a slash. */
export async function requestWatcher(
  root: string,
  path: string,
  { signal, timeoutMs, headers = {} }: RequestOptions = {},
): Promise<Reached | NotReached> {
  const socketPath = watcherSocket(root);
  const obstacle = obstacleAt(socketPath);
  if (obstacle !== null) return obstacle;
  if (signal?.aborted) return unreached(NOT_ASKED);
  // Node's HTTP client costs a start more than all of a verb: only where somebody may answer.
  const { request } = await import('node:http');
  return new Promise((resolve) => {
    const asked = request({ socketPath, path, agent: false, headers, ...(signal && { signal }) });
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
      // A watcher that dies ends what is being read, and not everybody listens for that.
      response.on('error', () => {});
      settle({ reached: true, status: response.statusCode ?? 0, response });
    });
    // It may come more than once, and after the answer.
    asked.on('error', (error: NodeJS.ErrnoException) => settle(refusedBy(error)));
    asked.end();
  });
}

/** Resolves with the whole answer, which is bounded in size and time. */
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
    response.once('close', () => end(unreached('it ended before its answer was whole')));
  });
}

/** Why nobody can be asked there, found with one look; null: somebody may answer. */
function obstacleAt(path: string): NotReached | null {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH) {
    return unreached(`the path of its socket is longer than ${MAX_SOCKET_PATH} bytes`);
  }
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return unreached('it does not run', true);
    return found.isSocket() ? null : unreached('what stands at its socket is no socket');
  } catch (error) {
    return refusedBy(error as NodeJS.ErrnoException);
  }
}

const NOT_ASKED = 'it was not asked any more';
const lateText = (timeoutMs: number): string => `it has not answered in ${timeoutMs} ms`;

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
