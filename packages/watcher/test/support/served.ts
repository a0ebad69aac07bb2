/**
 * A watcher in the test's own process that serves a fleet over HTTP, and helpers for requests.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { documents } from '@fleet-estop/protocol/schemas';
import { expect, onTestFinished } from 'vitest';
import { startWatcher, type Watcher, type WatcherOptions } from '../../src/daemon.ts';
import { httpService, type ServeOptions } from '../../src/serve/service.ts';
import { type LogLine, listeningLog, makeRoot } from './watched.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a document carries is what the tests are about
  readonly json: any;
}

export interface Asked extends RequestOptions {
  readonly body?: string;
}

export interface ServedFleet {
  readonly root: string;
  readonly port: number;
  readonly url: string;
  readonly socket: string;
  readonly watcher: Watcher;
  readonly log: readonly LogLine[];
  ask(path: string, options?: Asked): Promise<Answer>;
  stream(path?: string, options?: Asked): Promise<EventStream>;
}

export async function served(
  root = makeRoot('lane-a', 'lane-b'),
  options: ServeOptions = {},
  daemon: Partial<WatcherOptions> = {},
): Promise<ServedFleet> {
  const log: LogLine[] = [];
  let url = '';
  const service = httpService({
    port: 0,
    served: (at) => {
      url = at;
    },
    ...options,
  });
  const start = await startWatcher({
    root,
    log: listeningLog(log),
    graceMs: 50,
    startingMs: 0,
    ...daemon,
    services: [...(daemon.services ?? []), service],
  });
  if (!start.started) throw new Error('refused');
  const { watcher } = start;
  onTestFinished(() => watcher.close());
  const port = url === '' ? 0 : Number(new URL(url).port);
  return {
    root,
    port,
    url,
    socket: join(root, '.fleet', 'http.sock'),
    watcher,
    log,
    async ask(path, asked = {}) {
      const answer = await ask({ host: '127.0.0.1', port, path, ...asked });
      // Another service may add keys of its own.
      if (options.contribution?.state === undefined) expectDescribed(answer.json);
      return answer;
    },
    stream: (path = '/v1/events', asked = {}) =>
      openStream({ host: '127.0.0.1', port, path, ...asked }),
  };
}

/** Every document has exactly the keys of its schema. */
function expectDescribed(document: { readonly schema?: string } | undefined): void {
  const name = document?.schema;
  if (name === undefined) return;
  expect([name, documents[name]?.safeParse(document).error?.issues]).toEqual([name, undefined]);
}

export function ask({ body, ...options }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers } = response;
        const isJson = /json/.test(headers['content-type'] ?? '');
        resolve({
          status,
          headers,
          text,
          json: isJson && text !== '' ? JSON.parse(text) : undefined,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

export interface Message {
  readonly event: string;
  readonly id: string | null;
  // biome-ignore lint/suspicious/noExplicitAny: what a message carries is what the tests are about
  readonly data: any;
}

export interface EventStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly messages: readonly Message[];
  /** A message that came, or will; heartbeats too. */
  until(fits: (message: Message) => boolean): Promise<Message>;
  readonly ended: Promise<void>;
  readonly response: IncomingMessage;
  close(): void;
}

export function openStream({ body, ...options }: Asked): Promise<EventStream> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent: false, ...options }, (response) => {
      const messages: Message[] = [];
      const waiting = new Set<() => void>();
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const parts = (rest + chunk).split('\n\n');
        rest = parts.pop() ?? '';
        messages.push(...parts.flatMap(messageOf));
        for (const look of [...waiting]) look();
      });
      const ended = new Promise<void>((end) => {
        response.on('error', () => {});
        response.on('close', end);
      });
      onTestFinished(() => void sent.destroy());
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        messages,
        response,
        ended,
        close: () => void sent.destroy(),
        until: (fits) =>
          new Promise((found) => {
            const look = () => {
              const message = messages.find(fits);
              if (message === undefined) return;
              waiting.delete(look);
              found(message);
            };
            waiting.add(look);
            look();
          }),
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function messageOf(block: string): Message[] {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(':');
      return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')] as const;
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return [];
  const event = fields.get('event') ?? 'message';
  return [{ event, id: fields.get('id') ?? null, data: JSON.parse(data) }];
}

/** Lets whoever knows it write. */
export function writeToken(root: string, mode = 0o600): string {
  const token = randomBytes(24).toString('hex');
  mkdirSync(join(root, '.fleet'), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, '.fleet/token'), `${token}\n`, { mode });
  return token;
}
