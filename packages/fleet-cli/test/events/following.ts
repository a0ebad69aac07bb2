/**
 * `fleet events` while it runs, and a stand-in for the watcher that says what a test wants said.
 * What a real one says is in the tests that start one.
 */
import { mkdirSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Document } from '../support/fleet.ts';
import { type Live, startFleet, until } from '../support/live.ts';

/** Begins to follow, and waits until it is heard that it does. */
export async function follow(root: string, ...words: readonly string[]): Promise<Live> {
  const live = startFleet(['events', '--root', root, ...words]);
  if (!words.includes('--json')) await live.prints('\nnow ');
  return live;
}

export const documentsOf = (live: Live): Document[] =>
  live
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

export const typesOf = (live: Live): string[] => documentsOf(live).map(({ type }) => type);

export const untilTypes = (live: Live, ...types: readonly string[]): Promise<void> =>
  until(() => types.every((type) => typesOf(live).includes(type)));

/** Lines of text, without the two that come before any event. */
export const eventLines = (live: Live): string[] => live.stdout().split('\n').slice(2, -1);

export interface ScriptedWatcher {
  /** Those who asked, in their order. */
  readonly requests: readonly IncomingMessage[];
  /** The streams that are open. */
  readonly streams: ReadonlySet<ServerResponse>;
  /** When somebody has asked so many times. */
  asked(times: number): Promise<void>;
}

/** Answers each request as the script says, the last entry again and again. */
export async function scriptedWatcher(
  root: string,
  ...script: readonly ((response: ServerResponse) => void)[]
): Promise<ScriptedWatcher> {
  const requests: IncomingMessage[] = [];
  const streams = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const answer = script[Math.min(requests.length, script.length - 1)];
    requests.push(request);
    streams.add(response);
    response.on('close', () => streams.delete(response));
    answer?.(response);
  });
  mkdirSync(join(root, '.fleet'), { recursive: true });
  await new Promise<void>((resolve) => {
    server.listen(join(root, '.fleet', 'http.sock'), resolve);
  });
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { requests, streams, asked: (times) => until(() => requests.length >= times) };
}

/** A stream that says this and stays open. */
export const says =
  (...messages: readonly string[]) =>
  (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(messages.join(''));
  };

export const snapshot = (id = 'e-1', profiles: readonly object[] = []): string =>
  `event: snapshot\nid: ${id}\ndata: ${JSON.stringify({ profiles, scopes: [], unreadable: [], gateways: [] })}\n\n`;

/** As often as a watcher's own, unless a silence is to be noticed soon. */
export const heartbeat = (heartbeatMs = 3_000): string =>
  `event: heartbeat\ndata: ${JSON.stringify({ heartbeat_ms: heartbeatMs })}\n\n`;

export const gap = (after: string, why: string): string =>
  `event: gap\ndata: ${JSON.stringify({ epoch: 'e', after, why })}\n\n`;

export const event = (revision: number, type: string, subject: string, data: object): string =>
  `id: e-${revision}\ndata: ${JSON.stringify({
    specversion: '1.0',
    id: `e-${revision}`,
    source: 'file://h/f',
    type,
    subject,
    time: '2026-11-29T12:00:00+00:00',
    data,
  })}\n\n`;
