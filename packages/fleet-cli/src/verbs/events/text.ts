/**
 * What `fleet events` shows: one line for each event. All of it was said by another process, and
 * what it says comes from anybody's files.
 * The state that events lead to is `fleet status`.
 */
import { formatInstant } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import { instantOf, localTime, span } from '../../text/time.ts';
import type { Style, View } from '../../text/view.ts';
import { visible, visibleJson } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import { type FleetEvent, isObject, namesIn } from '../../watcher-client/event-message.ts';

/** What is known when events are missing. */
export interface Gap {
  /** The id of the last event that was seen before it. */
  readonly after: string;
  readonly why: string;
  /** From where the stream goes on; null: that was not understood, and `now` neither. */
  readonly id: string | null;
  readonly now: Now | null;
}

export interface Now {
  /** Of those that were asked for. */
  readonly profiles: number;
  readonly paused: number;
  /** Kinds of scope that hold every profile. */
  readonly heldBy: readonly string[];
  readonly unreadable: number;
}

type Data = Readonly<Record<string, unknown>>;

/** The longest of the types, so that lines are aligned. */
const TYPE_WIDTH = 'hold.cleared-externally'.length;
const SUBJECT_WIDTH = 16;
/** Characters of a free text, and names in a list: a line is no document. */
const MAX_TEXT = 1_024;
const MAX_NAMES = 8;

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

function detailOf({ type, data }: FleetEvent, nowMs: number): string {
  const [room] = type.split('.');
  switch (room) {
    case 'hold':
      return isObject(data['hold']) ? holdDetail(type, data['hold'], data, nowMs) : rest(data);
    case 'profile':
      return '';
    case 'gateway':
      return gatewayDetail(type, data);
    case 'config':
      return configDetail(data);
    case 'clock':
      return clockDetail(data);
    default:
      return rest(data);
  }
}

function holdDetail(type: string, hold: Data, data: Data, nowMs: number): string {
  const { holder, reason, unreadable } = hold;
  const whose = typeof holder === 'string' ? shortened(holder) : '(anonymous)';
  const why =
    typeof unreadable === 'string'
      ? `cannot be read, so it holds: ${shortened(unreadText(unreadable))}`
      : typeof reason === 'string'
        ? shortened(reason)
        : 'no reason given';
  const more = [byText(data['actor']), journalText(data['journal'])];
  if (type === 'hold.armed' || type === 'hold.rearmed') more.push(untilText(hold, nowMs));
  return [`${whose}: ${why}`, ...more.filter((text) => text !== null)].join('; ');
}

function untilText({ expires_at: stamp, expires_at_ms: ms }: Data, nowMs: number): string | null {
  if (typeof ms === 'number' && Math.abs(ms) <= MAX_DATE_MS) {
    const left = ms > nowMs ? `in ${span(ms - nowMs)}` : 'passed';
    return `until ${localTime(ms)} (${left})`;
  }
  if (typeof stamp !== 'string') return null;
  return `until \`${shortened(stamp)}\`, which cannot be read as a time, so it never comes`;
}

/** Milliseconds from the epoch that a date can be. */
const MAX_DATE_MS = 8_640_000_000_000_000;

function byText(actor: unknown): string | null {
  if (!isObject(actor)) return null;
  const { user, host, via } = actor;
  if (typeof user !== 'string') return null;
  const where = typeof host === 'string' ? ` on ${shortened(host)}` : '';
  return `by ${shortened(user)}${where}${typeof via === 'string' ? `, ${shortened(via)}` : ''}`;
}

/** Of a hold that nobody says they lifted. */
function journalText(journal: unknown): string | null {
  if (typeof journal !== 'string') return null;
  return journal === 'no line'
    ? 'the journal does not say who'
    : `whether it was lifted is not known: the journal is ${shortened(journal)}`;
}

function gatewayDetail(type: string, data: Data): string {
  const { pid, profile, revision, latency_ms: latency, in_flight: inFlight } = data;
  const who = typeof pid === 'number' ? `process ${pid}` : '';
  switch (type) {
    case 'gateway.connected': {
      const serves = `serves ${names(data['profiles'])}`;
      const again = data['after'] === 'stale' ? 'is heard again, ' : '';
      return joined([softwareOf(data['software']), who, `${again}${serves}`]);
    }
    case 'gateway.acknowledged': {
      const after = typeof latency === 'number' ? ` after ${latency} ms` : '';
      const work = typeof inFlight === 'number' ? `${inFlight} in hand` : '';
      return joined([`${textOf(profile)} at ${textOf(revision)}${after}`, work]);
    }
    case 'gateway.stale':
      return joined([who, `last heard ${timeText(data['last_seen_at'])}`]);
    case 'gateway.gone':
      return joined([who, textOf(data['why'])]);
    default:
      return rest(data);
  }
}

const softwareOf = (software: unknown): string =>
  typeof software === 'string' ? shortened(software) : '';

function configDetail(data: Data): string {
  const { path, in_force } = data;
  const problems = namesIn(data['problems']);
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  // A problem begins with its file.
  const what = first === undefined ? textOf(path) : `${shortened(first)}${more}`;
  const kept = in_force === 'last-good' ? 'the last good settings stay' : 'the defaults are';
  return `${what}; ${kept} in force`;
}

function clockDetail(data: Data): string {
  const { from, to, by_ms: by } = data;
  if (typeof by !== 'number' || !Number.isFinite(by)) return rest(data);
  const way = by < 0 ? 'back' : 'forward';
  // The uptime is coarse: what was set by an hour is not called 59 minutes.
  const much = span(Math.round(Math.abs(by) / 1_000) * 1_000);
  return `set ${way} by ${much}: from ${timeText(from)} to ${timeText(to)}`;
}

function timeText(stamp: unknown): string {
  const atMs = typeof stamp === 'string' ? instantOf(stamp) : null;
  return atMs === null ? textOf(stamp) : localTime(atMs);
}

function names(list: unknown): string {
  const all = namesIn(list);
  const shown = all.slice(0, MAX_NAMES).map(shortened).join(', ');
  if (all.length === 0) return 'no profile';
  return all.length > MAX_NAMES ? `${shown} and ${all.length - MAX_NAMES} more` : shown;
}

const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join('; ');

const textOf = (value: unknown): string =>
  typeof value === 'string' ? shortened(value) : typeof value === 'number' ? String(value) : '?';

const rest = (data: Data): string => shortened(visibleJson(data, 0));

function shortened(text: string): string {
  return visible(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text);
}

const GAP_REASONS: Readonly<Record<string, string>> = {
  'another-run': 'the watcher was started again, and of what happened meanwhile it knows nothing',
  'too-old': 'the watcher no longer has what happened meanwhile',
  'not-understood': 'the watcher does not know the event that was seen last',
};

export function gapLine({ why, now }: Gap, view: View): string {
  const reason = Object.hasOwn(GAP_REASONS, why) ? GAP_REASONS[why] : shortened(why);
  const title = view.paint('red', 'gap'.padEnd(TYPE_WIDTH));
  const state = now === null ? 'what stands now was not understood' : nowLine(now);
  return `${localTime(view.nowMs)}  ${title}  events may be missing: ${reason}; ${state}`;
}

export function nowLine({ profiles, paused, heldBy, unreadable }: Now): string {
  const held = heldBy.length === 0 ? '' : `; the ${heldBy.map(shortened).join(' and the ')} held`;
  const unread = unreadable === 0 ? '' : `; ${counted(unreadable, 'thing')} could not be read`;
  return `now ${paused} of ${counted(profiles, 'profile')} paused${held}${unread}`;
}

export const awayLine = (why: string): string => `${visible(why)}; waiting for it`;

/** The envelope as it came. */
export const eventDocument = ({ envelope }: FleetEvent): unknown => envelope;

/** No event: it has no `specversion`, and only it has this type. */
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
