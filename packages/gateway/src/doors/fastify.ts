/**
 * The webhook door for Fastify, as a `preHandler` hook, which runs after parsing and validation.
 * The decision is `webhook.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { type WebhookOptions, webhookDoor } from './webhook.ts';

/** The part of Fastify's request that always exists. Pass your own type if you decorate the request. */
export interface FastifyDoorRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The part of Fastify's reply that the door uses. */
export interface FastifyDoorReply {
  code(status: number): unknown;
  headers(values: Record<string, string>): unknown;
  send(body: Buffer): unknown;
}

/** Returns a `preHandler` hook that answers 401 or 503, or lets the handler run. */
export function fastifyDoor<Request = FastifyDoorRequest>(
  gate: Gate,
  options: WebhookOptions<Request>,
  // NoInfer: from the hook that Fastify expects, TypeScript would infer `never`.
): (request: NoInfer<Request>, reply: FastifyDoorReply) => Promise<unknown> {
  const decide = webhookDoor(gate, options);
  return async (request, reply) => {
    const answer = decide(request);
    if (answer === null) return undefined;
    reply.code(answer.status);
    reply.headers({ ...answer.headers });
    // Sent as bytes: Fastify adds a charset to text, which JSON does not have.
    reply.send(Buffer.from(answer.body));
    // If an async hook returns nothing, Fastify runs the handler although the reply was sent.
    return reply;
  };
}
