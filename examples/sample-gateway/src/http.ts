/**
 * The gateway's HTTP server: authenticates each request first, and bounds the body.
 * Each route has its own file.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Log } from './log.ts';
import type { People } from './people.ts';

export interface Call {
  /** The authenticated user. */
  readonly principal: string;
  /** The path segment that matched the `*` of the route. */
  readonly name: string;
  readonly headers: IncomingMessage['headers'];
  /** The parsed JSON body; null if it was empty. */
  readonly body: unknown;
  readonly response: ServerResponse;
}

export type Route = (call: Call) => void | Promise<void>;

/** Routes by method and path; a final `*` matches one segment. */
export type Routes = Readonly<Record<string, Route>>;

const MAX_BODY_BYTES = 64 * 1024;

export async function serveHttp(
  port: number,
  { people, routes, log }: { people: People; routes: Routes; log: Log },
): Promise<Server> {
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log('a request failed', { path: request.url, error: String(error) });
      if (!response.headersSent) sendJson(response, 500, { error: 'internal error' });
      else response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const principal = people.nameOf(request);
    if (principal === null) {
      response.setHeader('www-authenticate', 'Bearer');
      return sendJson(response, 401, { error: 'a bearer token is needed' });
    }
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = pathname.slice(pathname.lastIndexOf('/') + 1);
    const key = `${request.method} ${pathname}`;
    const route = routes[key] ?? routes[`${key.slice(0, key.length - name.length)}*`];
    if (route === undefined) return sendJson(response, 404, { error: `no route for ${key}` });
    const body = await bodyOf(request);
    if (body === undefined) {
      response.setHeader('connection', 'close');
      const error = `the body must be JSON of at most ${MAX_BODY_BYTES} bytes`;
      return sendJson(response, 400, { error });
    }
    await route({ principal, name, headers: request.headers, body, response });
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return server;
}

/** The parsed body; null if empty; undefined if it is too long or not JSON. */
async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  if (bytes === 0) return null;
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    return undefined;
  }
}

export function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
