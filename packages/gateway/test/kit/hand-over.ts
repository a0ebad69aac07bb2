/**
 * Hands a request to a server without a socket: its handler runs at once, in this turn of the loop.
 * Over a socket, a busy machine decides what comes first, the request or a hold.
 */
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';

interface HandedOver {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Resolves with status and body; headers are not passed on. */
export function handOver(server: Server, url: string, given: HandedOver): Promise<Response> {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, { url, method: given.method, headers: given.headers });
  request.push(given.body ?? '');
  request.push(null);
  const response = new ServerResponse(request);
  return new Promise((resolve) => {
    response.end = (body?: unknown) => {
      resolve(new Response(typeof body === 'string' ? body : '', { status: response.statusCode }));
      return response;
    };
    server.emit('request', request, response);
  });
}
