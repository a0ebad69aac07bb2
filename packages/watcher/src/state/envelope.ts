/**
 * An event of the fleet as a CloudEvents 1.0 JSON envelope.
 * Delivery is `serve/` and `webhooks/`.
 */
import { pathToFileURL } from 'node:url';
import type { FleetEvent } from './event-log.ts';

export interface Envelope {
  readonly specversion: '1.0';
  /** `<epoch>-<revision>`: unique together with `source`; a stream resumes from it. */
  readonly id: string;
  /** The fleet's root on its host, as a `file:` URI. */
  readonly source: string;
  readonly type: FleetEvent['type'];
  readonly subject: string;
  readonly time: string;
  readonly datacontenttype: 'application/json';
  readonly epoch: string;
  readonly revision: number;
  /** Only in webhooks: earlier events that the receiver has not accepted. */
  readonly missed?: number;
  readonly data: FleetEvent['data'];
}

export const eventId = (epoch: string, revision: number): string => `${epoch}-${revision}`;

export function sourceOf(root: string, host: string): string {
  const path = pathToFileURL(root).pathname;
  return `file://${encodeURIComponent(host)}${path}`;
}

export const envelopeOf = (epoch: string, source: string, event: FleetEvent): Envelope => ({
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
