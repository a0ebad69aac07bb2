/**
 * The webhook door for Node's own http servers, and for Express and Connect.
 * The decision is `webhook.ts`.
 */
import type { IncomingMessage } from 'node:http';
import type { Gate } from '../gate/gate.ts';
import type { HttpAnswer } from './answer.ts';
import { type WebhookOptions, webhookDoor } from './webhook.ts';

/** The part of Node's response that a door uses; Express and HTTP/2 have it too. */
export interface NodeDoorResponse {
  statusCode: number;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
}

/** The returned function answers true if the request may go on; false if it was answered. */
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

/** Middleware for Express and Connect, to run after your authentication. */
export function expressDoor<Request = IncomingMessage>(
  gate: Gate,
  options: WebhookOptions<Request>,
): (request: Request, response: NodeDoorResponse, next: () => void) => void {
  const door = nodeDoor(gate, options);
  return (request, response, next) => {
    if (door(request, response)) next();
  };
}

/** Avoids `writeHead`, so that Node sets the length and headers of other middleware stay. */
function send({ status, headers, body }: HttpAnswer, response: NodeDoorResponse): void {
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.end(body);
}
