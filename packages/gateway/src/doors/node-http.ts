/**
 * The webhook door for Node's own http servers, and for Express and Connect.
 * What is answered is `webhook.ts`.
 */
import type { IncomingMessage } from 'node:http';
import type { Gate } from '../gate/gate.ts';
import type { HttpAnswer } from './answer.ts';
import { type WebhookOptions, webhookDoor } from './webhook.ts';

/** As much of Node's response as a door needs; Express and HTTP/2 have the same. */
export interface NodeDoorResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** Answers whether to go on; false: the request has been answered. */
export function nodeDoor<Request = IncomingMessage>(
  gate: Gate,
  options: WebhookOptions<Request>,
): (request: Request, response: NodeDoorResponse) => boolean {
  const decide = webhookDoor(gate, options);
  return (request, response) => {
    const answer = decide(request);
    if (answer !== null) send(answer, response);
    return answer === null;
  };
}

/** Middleware, to stand between your authentication and your handler. */
export function expressDoor<Request = IncomingMessage>(
  gate: Gate,
  options: WebhookOptions<Request>,
): (request: Request, response: NodeDoorResponse, next: () => void) => void {
  const door = nodeDoor(gate, options);
  return (request, response, next) => {
    if (door(request, response)) next();
  };
}

/** Without `writeHead`, so that Node counts the bytes and other middleware keeps its headers. */
function send({ status, headers, body }: HttpAnswer, response: NodeDoorResponse): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}
