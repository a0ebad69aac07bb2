/**
 * One POST to a webhook's URL, with limits on time and on how much of the answer is read. It
 * follows no redirects and ignores proxies of the environment: an event goes where `fleet.yaml`
 * says, or nowhere.
 * Retrying is `retry.ts`.
 */
import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

export type DeliveryResult =
  | { readonly accepted: true }
  | {
      readonly accepted: false;
      /** Safe to show: contains nothing of the answer's text. */
      readonly why: string;
      /** Another attempt would get the same answer. */
      readonly isFinal: boolean;
      /** How long the receiver asks us to wait; null: it did not say. */
      readonly retryAfterMs: number | null;
    };

export interface Poster {
  /** Never rejects. `signal` aborts it. */
  post(
    body: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<DeliveryResult>;
  /** Closes the connection that is kept for the next event. */
  disconnect(): void;
}

/** Only the status matters; a short body is read so that the connection can be reused. */
const MAX_ANSWER_BYTES = 4_096;
const ANSWER_MS = 1_000;
const MAX_HEADER_BYTES = 16_384;

export function poster(url: string, timeoutMs: number): Poster {
  const isSecure = new URL(url).protocol === 'https:';
  const kept = { keepAlive: true, maxSockets: 1 };
  // Whatever the environment says: a receiver with a bad certificate is not the receiver.
  const agent = isSecure ? new SecureAgent({ ...kept, rejectUnauthorized: true }) : new Agent(kept);
  const send = isSecure ? secureRequest : request;

  return {
    disconnect: () => agent.destroy(),
    post: (body, headers, signal) =>
      new Promise((resolve) => {
        const sent = send(url, {
          method: 'POST',
          agent,
          signal,
          maxHeaderSize: MAX_HEADER_BYTES,
          headers: {
            'content-type': 'application/cloudevents+json; charset=utf-8',
            'content-length': Buffer.byteLength(body),
            'user-agent': 'fleet-watcher',
            ...headers,
          },
        });
        let result: DeliveryResult | undefined;
        const late = setTimeout(() => {
          result ??= failed(`it did not answer within ${timeoutMs / 1_000} s`);
          sent.destroy();
        }, timeoutMs);
        sent.on('response', (response) => {
          result ??= resultOf(response);
          drain(response);
        });
        sent.on('error', (error) => {
          result ??= failed(errorCode(error));
        });
        sent.on('close', () => {
          clearTimeout(late);
          resolve(result ?? failed('the connection was closed'));
        });
        sent.end(body);
      }),
  };
}

function drain(response: IncomingMessage): void {
  let bytes = 0;
  const late = setTimeout(() => response.destroy(), ANSWER_MS);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  response.on('error', () => {});
  response.on('close', () => clearTimeout(late));
}

/** 4xx statuses that may pass: 408 (RFC 9110), 425 (RFC 8470), 429 (RFC 6585). */
const RETRYABLE = new Set([408, 425, 429]);

function resultOf({ statusCode: status = 0, headers }: IncomingMessage): DeliveryResult {
  if (status >= 200 && status < 300) return { accepted: true };
  const why = `it answered ${status}`;
  if (status >= 300 && status < 400) {
    return { ...failed(`${why}, and redirects are not followed`), isFinal: true };
  }
  const isFinal = status >= 400 && status < 500 && !RETRYABLE.has(status);
  return { ...failed(why), isFinal, retryAfterMs: retryAfterMs(headers['retry-after']) };
}

/** Seconds or a date (RFC 9110, 10.2.3). */
function retryAfterMs(text: string | undefined): number | null {
  if (text === undefined) return null;
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

const failed = (why: string) =>
  ({ accepted: false, why, isFinal: false, retryAfterMs: null }) as const;

/** The system's error code: short, and not another party's text. */
const errorCode = (error: NodeJS.ErrnoException): string => error.code ?? error.name;
