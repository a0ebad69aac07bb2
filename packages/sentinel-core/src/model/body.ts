/**
 * The body of a sentinel: reads it into holds, and writes it so that older readers never admit more
 * than the holds do.
 * `deadline.ts` decides whether a deadline has passed; `disk/inspect.ts` reads the files.
 */
import { intersectAllow, readAllow, writeAllow } from './allow.ts';
import { readStamp, writeStamp } from './deadline.ts';
import type { Actor, Allow, ClockStamp, Hold } from './hold.ts';
import {
  type JsonObject,
  type JsonValue,
  MAX_DEPTH,
  NumberText,
  readJson,
  writeJson,
} from './json.ts';
import { expiryMs, parseStamp } from './stamp.ts';

/**
 * Bytes. A larger sentinel counts as held and is never read, so that a check does bounded work [7].
 */
export const MAX_BODY_BYTES = 65_536;

/** A body as it was read. */
export interface Body {
  readonly generation: string | null;
  /** The top level as older readers read it: one hold without a holder. */
  readonly top: Hold;
  /** The entries of `holds`; null if the body has none. */
  readonly holds: readonly Hold[] | null;
  /** Top-level fields that this version does not know. A rewrite keeps them. */
  readonly extra: JsonObject;
}

/** Maximum depth of a body: a rewrite adds up to 8 levels. */
const MAX_BODY_DEPTH = MAX_DEPTH - 8;

/**
 * Maximum depth of a field that a rewrite moves into `holds`. A deeper field is moved as its text.
 */
const MAX_MOVED_DEPTH = 4;

const TOP_LEVEL = ['generation', 'engaged_at', 'reason', 'expires_at', 'allow', 'holds'];

/**
 * Reads the text of a body. `ino` names holds without an id of their own, so that two empty files
 * are two holds. null: the text is not a JSON object, so it is one anonymous hold that never
 * expires.
 */
export function readBody(text: string, ino: string): Body | null {
  let parsed: JsonValue;
  try {
    parsed = readJson(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text, MAX_BODY_DEPTH);
  } catch {
    return null;
  }
  if (!isObject(parsed)) return null;
  const generation = textOrNumber(parsed.generation);
  const extra = without(parsed, TOP_LEVEL);
  const top = holdOf({
    id: generation ?? anonymousId(ino),
    ...pick(parsed, ['reason', 'engaged_at', 'expires_at', 'allow']),
  });
  // `holds: []` and `holds: 5` count as a body without holds.
  const entries = Array.isArray(parsed.holds) && parsed.holds.length > 0 ? parsed.holds : null;
  const holds = entries?.map((entry, at) => readEntry(entry, `${anonymousId(ino)}.${at}`)) ?? null;
  return { generation, top, holds, extra };
}

/** The id of a hold without an id in a body. */
export const anonymousId = (ino: string): string => `anon-${ino}`;

/**
 * The single hold of a sentinel that is not a readable body. Nobody passes it, and it never expires
 * [2].
 */
export function unreadableHold(id: string, why: string, reason: string | null = null): Hold {
  return { ...holdOf(reason === null ? { id } : { id, reason }), unreadable: why };
}

/** The hold that an entry of `holds` describes. `entry.id` must be a text. */
export function holdOf(
  entry: { readonly id: string } & { readonly [key: string]: JsonValue },
): Hold {
  const expiresAt = meaningful(entry.expires_at);
  const clock = readStamp(entry.clock);
  return {
    id: entry.id,
    holder: typeof entry.holder === 'string' && entry.holder !== '' ? entry.holder : null,
    reason: meaningful(entry.reason),
    engagedAt: meaningful(entry.engaged_at),
    expiresAt,
    // Only a text can be a deadline. A number, a list or nonsense never expires.
    expiresAtMs: typeof entry.expires_at === 'string' ? expiryMs(entry.expires_at) : null,
    ...(clock === undefined ? {} : { clock }),
    allow: readAllow(entry.allow),
    actor: readActor(entry.actor),
    raw: Object.assign(Object.create(null) as JsonObject, entry),
  };
}

/** The text by which two holds are compared. Every field counts, unknown ones included. */
export const textOf = (hold: Hold): string => writeJson(hold.raw);

/**
 * Writes a body. The top level is always composed from the holds and never laxer than they are: the
 * latest deadline (none if one hold has none), the intersection of the allowlists (none if empty),
 * and the joined reasons.
 */
export function writeBody(
  generation: string,
  holds: readonly Hold[],
  extra: JsonObject,
  { composedReason = true }: { composedReason?: boolean } = {},
): string {
  const body: JsonObject = Object.assign(Object.create(null) as JsonObject, { generation });
  const since = earliest(holds);
  if (since !== null) body.engaged_at = since;
  const reasons = [
    ...new Set(holds.map((hold) => hold.reason).filter((reason) => reason !== null)),
  ];
  if (reasons.length > 0 && composedReason) body.reason = reasons.join('; ');
  const deadline = latestDeadline(holds);
  if (deadline !== null) body.expires_at = deadline;
  const allow = intersectAllow(holds.map((hold) => hold.allow));
  if (allow !== null) body.allow = writeAllow(allow);
  Object.assign(body, extra);
  body.holds = holds.map((hold) => hold.raw);
  return writeJson(body);
}

function latestDeadline(holds: readonly Hold[]): string | null {
  let latest: Hold | null = null;
  for (const hold of holds) {
    if (hold.expiresAtMs === null) return null;
    if (latest === null || instantOf(hold) > instantOf(latest)) latest = hold;
  }
  return latest?.expiresAt ?? null;
}

/** To the microsecond, as older readers compare. */
const instantOf = (hold: Hold): bigint => parseStamp(hold.expiresAt ?? '') ?? 0n;

function earliest(holds: readonly Hold[]): string | null {
  let found: { readonly text: string; readonly at: number } | null = null;
  for (const { engagedAt } of holds) {
    const at = engagedAt === null ? null : expiryMs(engagedAt);
    if (engagedAt !== null && at !== null && (found === null || at < found.at)) {
      found = { text: engagedAt, at };
    }
  }
  return found?.text ?? null;
}

/**
 * Reads an entry of `holds`. An unreadable entry is an anonymous hold that never expires, also
 * after a rewrite.
 */
function readEntry(entry: JsonValue, id: string): Hold {
  if (isObject(entry) && typeof entry.id === 'string') return holdOf({ ...entry, id: entry.id });
  return { ...holdOf({ id, entry: moved(entry) }), unreadable: 'entry' };
}

function readActor(value: JsonValue | undefined): Actor | null {
  if (!isObject(value)) return null;
  const text = (field: JsonValue | undefined) => textOrNumber(field) ?? '?';
  const pid = value.pid instanceof NumberText ? Number(value.pid.text) : 0;
  return { user: text(value.user), host: text(value.host), pid, via: text(value.via) };
}

/** The text to show of a field that should be text; null if the field is empty. */
function meaningful(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null || value === false || value === '') return null;
  if (value instanceof NumberText) return Number(value.text) === 0 ? null : value.text;
  if (typeof value === 'string') return value;
  const text = writeJson(value);
  return text === '[]' || text === '{}' ? null : text;
}

/**
 * Prepares a value that a rewrite nests deeper than it was. A value that many rewrites would nest
 * without bounds becomes its own text, which reads as no deadline and no allowlist.
 */
function moved(value: JsonValue): JsonValue {
  return depthOf(value) > MAX_MOVED_DEPTH ? writeJson(value) : value;
}

function depthOf(value: JsonValue): number {
  if (typeof value !== 'object' || value === null || value instanceof NumberText) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function textOrNumber(value: JsonValue | undefined): string | null {
  if (value instanceof NumberText) return value.text;
  return typeof value === 'string' && value !== '' ? value : null;
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof NumberText);

function pick(from: JsonObject, keys: readonly string[]): JsonObject {
  const picked: JsonObject = Object.create(null);
  for (const key of keys) {
    const value = from[key];
    if (value !== undefined && value !== null) picked[key] = moved(value);
  }
  return picked;
}

function without(from: JsonObject, keys: readonly string[]): JsonObject {
  const rest: JsonObject = Object.create(null);
  for (const [key, value] of Object.entries(from)) if (!keys.includes(key)) rest[key] = value;
  return rest;
}

/**
 * The hold for an entry that this version writes. `keep`: the old entry, whose unknown fields are
 * kept.
 */
export function entryOf(hold: {
  readonly id: string;
  readonly holder: string;
  readonly reason: string | null;
  readonly engagedAt: string;
  readonly expiresAt: string | null;
  readonly clock: ClockStamp | null;
  readonly allow: Allow | null;
  readonly actor: Actor | null;
  readonly keep: JsonObject;
}): Hold {
  const { id, holder, reason, engagedAt, expiresAt, clock, allow, actor, keep } = hold;
  const known = ['id', 'holder', 'reason', 'engaged_at', 'expires_at', 'clock', 'allow', 'actor'];
  return holdOf({
    id,
    holder,
    ...(reason === null ? {} : { reason }),
    engaged_at: engagedAt,
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
    ...(clock === null ? {} : { clock: writeStamp(clock) }),
    ...(allow === null ? {} : { allow: writeAllow(allow) }),
    ...(actor === null ? {} : { actor: { ...actor, pid: new NumberText(String(actor.pid)) } }),
    ...without(keep, known),
  });
}
