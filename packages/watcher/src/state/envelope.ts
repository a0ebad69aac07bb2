/**
 * An event of the fleet as a CloudEvents 1.0 JSON envelope.
 * Delivery is `serve/` and `webhooks/`.
 */
import { pathToFileURL } from 'node:url';
import type { EventEnvelope } from '@fleet-estop/protocol';
import type { FleetEvent } from './event-log.ts';

export const eventId = (epoch: string, revision: number): string => `${epoch}-${revision}`;

export function sourceOf(root: string, host: string): string {
  const path = pathToFileURL(root).pathname;
  return `file://${encodeURIComponent(host)}${path}`;
}

export const envelopeOf = (epoch: string, source: string, event: FleetEvent): EventEnvelope => ({
  specversion: '1.0',
  id: eventId(epoch, event.revision),
  source,
  type: event.type,
  subject: event.subject,
  time: event.time,
  datacontenttype: 'application/json',
  epoch,
  revision: event.revision,
  data: event.data,
});

/** The id of the last event that a client saw; null: never an id of ours. */
export function parseEventId(text: string): { epoch: string; revision: number } | null {
  const [, epoch, digits] = /^([0-9a-z]{1,64})-([0-9]{1,15})$/.exec(text) ?? [];
  if (epoch === undefined || digits === undefined) return null;
  return { epoch, revision: Number(digits) };
}
