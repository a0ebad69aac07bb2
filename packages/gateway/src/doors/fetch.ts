/**
 * The webhook door for servers that take a `Request` and answer a `Response`, and for Hono.
 * What is answered is `webhook.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { type WebhookOptions, webhookDoor } from './webhook.ts';

/** As much of Hono's context as is sure to be there. Name your own `Context` for its variables. */
export interface HonoDoorContext {
  readonly req: { header(name: string): string | undefined; readonly raw: Request };
}

/** Answers the response to send, or undefined: go on. */
export function fetchDoor<Incoming = Request>(
  gate: Gate,
  options: WebhookOptions<Incoming>,
): (request: Incoming) => Response | undefined {
  const decide = webhookDoor(gate, options);
  return (request) => {
    const answer = decide(request);
    if (answer === null) return undefined;
    return new Response(answer.body, { status: answer.status, headers: { ...answer.headers } });
  };
}

/** Middleware, to stand between your authentication and your handler. Asks of Hono's context. */
export function honoDoor<Context = HonoDoorContext>(
  gate: Gate,
  options: WebhookOptions<Context>,
): (context: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  const door = fetchDoor(gate, options);
  return async (context, next) => {
    const response = door(context);
    if (response === undefined) await next();
    return response;
  };
}
