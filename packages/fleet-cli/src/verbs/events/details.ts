/**
 * What each type of event says, in words: the last cell of its line.
 * The values come from another process, and their texts from files that anybody may write.
 */
import { instantOf, localTime, span } from '../../text/time.ts';
import { visible, visibleJson } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import { type FleetEvent, isObject, namesIn } from '../../watcher-client/event-message.ts';

type Data = Readonly<Record<string, unknown>>;

/** Characters of a free text, and names in a list. */
const MAX_TEXT = 1_024;
const MAX_NAMES = 8;

export function detailOf({ type, data }: FleetEvent, nowMs: number): string {
  const [about] = type.split('.');
  switch (about) {
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
  return `until \`${shortened(stamp)}\`, which cannot be read as a time, so the hold never expires`;
}

/** The greatest distance of a date from the epoch, in milliseconds. */
const MAX_DATE_MS = 8_640_000_000_000_000;

function byText(actor: unknown): string | null {
  if (!isObject(actor)) return null;
  const { user, host, via } = actor;
  if (typeof user !== 'string') return null;
  const where = typeof host === 'string' ? ` on ${shortened(host)}` : '';
  return `by ${shortened(user)}${where}${typeof via === 'string' ? `, ${shortened(via)}` : ''}`;
}

/** For a hold that ended without a known lift. */
function journalText(journal: unknown): string | null {
  if (typeof journal !== 'string') return null;
  return journal === 'no line'
    ? 'the journal does not say who'
    : `whether it was lifted is unknown: the journal is ${shortened(journal)}`;
}

function gatewayDetail(type: string, data: Data): string {
  const { pid, profile, revision, latency_ms: latency, in_flight: inFlight } = data;
  const who = typeof pid === 'number' ? `process ${pid}` : '';
  switch (type) {
    case 'gateway.connected': {
      const serves = `serves ${names(data['profiles'])}`;
      const again = data['after'] === 'stale' ? 'responds again, ' : '';
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
  // A problem text begins with its file.
  const what = first === undefined ? textOf(path) : `${shortened(first)}${more}`;
  const kept = in_force === 'last-good' ? 'the last good settings stay' : 'the defaults are';
  return `${what}; ${kept} in force`;
}

function clockDetail(data: Data): string {
  const { from, to, by_ms: by } = data;
  if (typeof by !== 'number' || !Number.isFinite(by)) return rest(data);
  const way = by < 0 ? 'back' : 'forward';
  // The uptime is coarse, so a step is rounded: one hour must not read as 59 minutes.
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

export function shortened(text: string): string {
  return visible(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text);
}
