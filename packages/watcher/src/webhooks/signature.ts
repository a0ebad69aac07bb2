/**
 * The headers that prove to a receiver that an event is ours, by Standard Webhooks 1.0.
 */
import { Webhook } from 'standardwebhooks';

/**
 * `id`: the event's id, the same in every attempt. `atMs`: time of the attempt. Neither contains a
 * full stop, which separates the parts of the signed text.
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
