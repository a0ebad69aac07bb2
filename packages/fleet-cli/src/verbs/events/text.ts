/**
 * The output of `fleet events`: one line for each event, gaps, and the current state. All values come from
 * another process, and are escaped and cut.
 * What an event says is `details.ts`.
 */
import { formatInstant } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import { instantOf, localTime } from '../../text/time.ts';
import type { Style, View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import type { FleetEvent } from '../../watcher-client/event-message.ts';
import { detailOf, shortened } from './details.ts';

/** Missing events, and the state after them. */
export interface Gap {
  /** The id of the last event before the gap. */
  readonly after: string;
  readonly why: string;
  /** The id at which the stream goes on; null: it was not understood, and neither was `now`. */
  readonly id: string | null;
  readonly now: Now | null;
}

export interface Now {
  /** How many of the selected profiles exist. */
  readonly profiles: number;
  readonly paused: number;
  /** The kinds of scope whose holds bind every profile. */
  readonly heldBy: readonly string[];
  readonly unreadable: number;
}

/** The longest type, so that lines are aligned. */
const TYPE_WIDTH = 'hold.cleared-externally'.length;
const SUBJECT_WIDTH = 16;
const STYLES: Readonly<Record<string, Style>> = {
  'hold.armed': 'yellow',
  'hold.rearmed': 'yellow',
  'hold.lifted': 'green',
  'hold.expired': 'green',
  'hold.cleared-externally': 'red',
  'hold.unreadable': 'red',
  'profile.paused': 'yellow',
  'profile.running': 'green',
  'gateway.stale': 'red',
  'gateway.gone': 'red',
  'restart.settled': 'yellow',
  'config.rejected': 'red',
  'clock.stepped': 'red',
};

export function eventLine(event: FleetEvent, view: View): string {
  const { type, subject, time } = event;
  const atMs = instantOf(time);
  const style = Object.hasOwn(STYLES, type) ? STYLES[type] : undefined;
  const shown = shortened(type).padEnd(TYPE_WIDTH);
  const cells = [
    atMs === null ? shortened(time) : localTime(atMs),
    style === undefined ? shown : view.paint(style, shown),
    shortened(subject).padEnd(SUBJECT_WIDTH),
    detailOf(event, view.nowMs),
  ];
  return cells.join('  ').trimEnd();
}

const GAP_REASONS: Readonly<Record<string, string>> = {
  'another-run': 'the watcher was restarted, and does not know what happened in between',
  'too-old': 'the watcher no longer has what happened meanwhile',
  'not-understood': 'the watcher does not know the event that was seen last',
};

export function gapLine({ why, now }: Gap, view: View): string {
  const reason = Object.hasOwn(GAP_REASONS, why) ? GAP_REASONS[why] : shortened(why);
  const title = view.paint('red', 'gap'.padEnd(TYPE_WIDTH));
  const state = now === null ? 'the current state was not understood' : nowLine(now);
  return `${localTime(view.nowMs)}  ${title}  events may be missing: ${reason}; ${state}`;
}

export function nowLine({ profiles, paused, heldBy, unreadable }: Now): string {
  const held = heldBy.length === 0 ? '' : `; the ${heldBy.map(shortened).join(' and the ')} held`;
  const unread = unreadable === 0 ? '' : `; ${counted(unreadable, 'thing')} could not be read`;
  return `now ${paused} of ${counted(profiles, 'profile')} paused${held}${unread}`;
}

export const awayLine = (why: string): string => `${visible(why)}; waiting for it`;

/** The envelope as received. */
export const eventDocument = ({ envelope }: FleetEvent): unknown => envelope;

/** A gap is not an event: it has no `specversion`, and a type of its own. */
export const gapDocument = ({ after, why, id, now }: Gap, nowMs: number): Json => ({
  type: 'gap',
  time: formatInstant(nowMs),
  after,
  why,
  id,
  profiles: now?.profiles ?? null,
  profiles_paused: now?.paused ?? null,
  held_by: now?.heldBy ?? null,
  unreadable: now?.unreadable ?? null,
});
