/**
 * The webhook door for servers that map a `Request` to a `Response`, and for Hono.
 * The decision is `webhook.ts`.
 */
import type { Gate } from '../gate/gate.ts';
import { type WebhookOptions, webhookDoor } from './webhook.ts';

/** The part of Hono's context that always exists. Pass your own `Context` type for its variables. */
export interface HonoDoorContext {
  readonly req: { header(name: string): string | undefined; readonly raw: Request };
}

/** The returned function gives the response to send, or undefined if the request may go on. */
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

/** Middleware for Hono, to run after your authentication. The options' functions get Hono's context. */
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
