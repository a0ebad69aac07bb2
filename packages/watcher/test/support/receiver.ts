/**
 * A real HTTP server that receives webhooks and answers as a test wants.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Post {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an event carries is what the tests are about
  readonly event: any;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly posts: readonly Post[];
  /** From now on; a status, or whatever is done with a response. */
  answer(with_: number | ((response: ServerResponse, post: Post) => void)): void;
  /** Resolves with the first that is not undefined, now or when something more is posted. */
  until<T>(find: (posts: readonly Post[]) => T | undefined): Promise<T>;
  untilCount(count: number): Promise<readonly Post[]>;
  close(): Promise<void>;
}

export async function receiver(port = 0): Promise<Receiver> {
  const posts: Post[] = [];
  const waiting = new Set<() => void>();
  let answer: (response: ServerResponse, post: Post) => void = (response) => end(response, 204);
  const server = createServer(async (request, response) => {
    const post = await postOf(request);
    posts.push(post);
    answer(response, post);
    for (const look of [...waiting]) look();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  onTestFinished(close);
  const until = <T>(find: (posts: readonly Post[]) => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = () => {
        const found = find(posts);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}`,
    port: taken,
    posts,
    answer(with_) {
      answer = typeof with_ === 'number' ? (response) => end(response, with_) : with_;
    },
    until,
    untilCount: (count) => until((all) => (all.length >= count ? all : undefined)),
    close,
  };
}

function end(response: ServerResponse, status: number): void {
  response.writeHead(status);
  response.end();
}

async function postOf(request: IncomingMessage): Promise<Post> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  const { url: path = '', method = '' } = request;
  const headers = request.headers as Record<string, string>;
  return { path, method, headers, body, event: JSON.parse(body), atMs: performance.now() };
}
