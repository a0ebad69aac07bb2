/**
 * The headers by which a receiver knows that an event is ours, by Standard Webhooks 1.0.
 */
import { Webhook } from 'standardwebhooks';

/**
 * `id` is that of the event, the same at every attempt; the time is the attempt's. Neither has a
 * full stop in it, which is what divides the signed text.
 */
export function signedHeaders(
  id: string,
  atMs: number,
  body: string,
  keys: readonly Uint8Array[],
): Readonly<Record<string, string>> {
  const seconds = Math.floor(atMs / 1_000);
  const at = new Date(seconds * 1_000);
  const signatures = keys.map((key) => new Webhook(key, { format: 'raw' }).sign(id, at, body));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  };
}
