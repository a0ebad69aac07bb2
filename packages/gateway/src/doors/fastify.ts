/**
 * The webhook door for Fastify, as a `preHandler` hook: bodies are parsed and validated by then.
 * What is answered is `webhook.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { type WebhookOptions, webhookDoor } from './webhook.ts';

/** As much of Fastify's request as is sure to be there. Name your own for what you decorate it with. */
export interface FastifyDoorRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** As much of Fastify's reply as a door needs. */
export interface FastifyDoorReply {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: Buffer): unknown;
}

export function fastifyDoor<Request = FastifyDoorRequest>(
  gate: Gate,
  options: WebhookOptions<Request>,
  // Of what Fastify expects here, TypeScript would infer a request that is `never`.
): (request: NoInfer<Request>, reply: FastifyDoorReply) => Promise<unknown> {
  const decide = webhookDoor(gate, options);
  return async (request, reply) => {
    const answer = decide(request);
    if (answer === null) return undefined;
    reply.code(answer.status);
    reply.headers({ ...answer.headers });
    // As bytes: to a text Fastify adds a charset, which JSON does not have.
    reply.send(Buffer.from(answer.body));
    // An asynchronous hook that answers nothing lets the handler run, although the reply is sent.
    return reply;
  };
}
