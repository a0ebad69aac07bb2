/**
 * Encodes messages to lines and decodes them. Input from the other end is hostile until parsed here.
 * Unknown fields are ignored, so that either end can be newer within a protocol version. The messages
 * are `schemas/socket.ts`.
 */
import {
  count,
  type Fields,
  isName,
  list,
  MAX_NAME,
  name,
  object,
  ProtocolError,
  record,
  shown,
  strings,
  text,
} from './fields.ts';
import { MAX_LINE_BYTES } from './limits.ts';
import type {
  Ack,
  ConnectionRefusal,
  Cut,
  CutDone,
  Feature,
  FromGateway,
  FromWatcher,
  GatewayMark,
  Goodbye,
  Hello,
  ServedProfile,
  State,
  StateHold,
} from './types.ts';

/** One line with its newline. Throws RangeError beyond `MAX_LINE_BYTES`, which is a bug of the sender. */
export function encode(message: FromGateway | FromWatcher): string {
  const line = `${JSON.stringify(message)}\n`;
  if (fits(line)) return line;
  throw new RangeError(`a \`${message.type}\` message of more than ${MAX_LINE_BYTES} bytes`);
}

/** Short lines are not measured: a UTF-16 code unit takes three bytes at most. */
const fits = (line: string): boolean =>
  line.length * 3 <= MAX_LINE_BYTES || new TextEncoder().encode(line).length <= MAX_LINE_BYTES;

/** A state as one line that the other end accepts. Reasons are shortened or dropped until it fits. */
export function encodeState(given: State): string {
  const state = withinLimits(given);
  const whole = `${JSON.stringify(state)}\n`;
  if (fits(whole)) return whole;
  for (const length of [256, 64, 0]) {
    const holds = state.holds.map((hold) => ({ ...hold, reason: cut(hold.reason, length) }));
    const line = `${JSON.stringify({ ...state, holds, shortened: true })}\n`;
    if (fits(line)) return line;
  }
  // Even without reasons the holds can be too long: send only that the profile is held.
  return encode({ ...state, holds: [], shortened: true });
}

/** Drops what a decoder would refuse: a foreign sentinel can have more holds or longer ids. */
function withinLimits(state: State): State {
  const holds = state.holds
    .filter(({ id }) => isName(id))
    .slice(0, MAX_HOLDS)
    .map(wellFormed);
  return holds.length === state.holds.length
    ? { ...state, holds }
    : { ...state, holds, shortened: true };
}

/** Lone surrogates are invalid text in other languages. The id stays as on disk, since it is compared. */
const wellFormed = (hold: StateHold): StateHold => ({
  ...hold,
  holder: hold.holder?.toWellFormed() ?? null,
  reason: hold.reason?.toWellFormed() ?? null,
  since: hold.since?.toWellFormed() ?? null,
  expires_at: hold.expires_at?.toWellFormed() ?? null,
});

function cut(reason: string | null, length: number): string | null {
  if (reason === null || reason.length <= length) return reason;
  return length === 0 ? null : `${reason.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A goodbye as one line that the other end accepts: of too much work, only some is listed. */
export function encodeGoodbye(cut: Goodbye['cut']): string {
  const listed = cut
    .filter(({ profile, door }) => isName(profile) && isName(door))
    .map(({ profile, door, id }) => ({ profile, door, id: id.slice(0, MAX_NAME).toWellFormed() }));
  for (let most = MAX_CUT; ; most = Math.floor(most / 2)) {
    const some = listed.slice(0, most);
    const message: Goodbye = { type: 'goodbye', clean: cut.length === 0, cut: some };
    const line = `${JSON.stringify(message)}\n`;
    if (most === 0 || fits(line)) return line;
  }
}

/** Decodes a message from a gateway. Throws `ProtocolError`. */
export function decodeFromGateway(line: string): FromGateway {
  const fields = object(line);
  switch (fields['type']) {
    case 'hello':
      return {
        type: 'hello',
        protocol: count(fields, 'protocol'),
        instance: name(fields, 'instance'),
        ...secret(fields['secret']),
        pid: count(fields, 'pid'),
        software: name(fields, 'software'),
        ...processMark(fields['mark']),
        ...(fields['unit'] === undefined ? {} : { unit: name(fields, 'unit') }),
        ...features(fields['features']),
        ...(fields['resume_spread_ms'] === undefined
          ? {}
          : { resume_spread_ms: count(fields, 'resume_spread_ms') }),
        profiles: list(fields, 'profiles', MAX_PROFILES).map(servedProfile),
      };
    case 'ack':
      return {
        type: 'ack',
        epoch: name(fields, 'epoch'),
        revision: count(fields, 'revision'),
        profile: name(fields, 'profile'),
        in_flight: count(fields, 'in_flight'),
      } satisfies Ack;
    case 'alive':
      return {
        type: 'alive',
        profiles: list(fields, 'profiles', MAX_PROFILES).map((item) => ({
          name: name(item, 'name'),
          in_flight: count(item, 'in_flight'),
          refused: count(item, 'refused'),
        })),
      };
    case 'cut-done':
      return {
        type: 'cut-done',
        id: name(fields, 'id'),
        profile: name(fields, 'profile'),
        told: count(fields, 'told'),
        failed: count(fields, 'failed'),
        left: count(fields, 'left'),
      } satisfies CutDone;
    case 'goodbye':
      return {
        type: 'goodbye',
        // Only a plain `true` is clean.
        clean: fields['clean'] === true,
        cut: list(fields, 'cut', MAX_CUT).map((item) => ({
          profile: name(item, 'profile'),
          door: name(item, 'door'),
          id: name(item, 'id'),
        })),
      } satisfies Goodbye;
    default:
      throw new ProtocolError(`unknown \`type\`: ${shown(fields['type'])}`);
  }
}

/** Decodes a message from the watcher. Throws `ProtocolError`. */
export function decodeFromWatcher(line: string): FromWatcher {
  const fields = object(line);
  switch (fields['type']) {
    case 'state':
      return {
        type: 'state',
        epoch: name(fields, 'epoch'),
        revision: count(fields, 'revision'),
        profile: name(fields, 'profile'),
        // Unknown is held [2]: only a plain `false` is free.
        engaged: fields['engaged'] !== false,
        holds: list(fields, 'holds', MAX_HOLDS).map(stateHold),
        ...(fields['shortened'] === true ? { shortened: true as const } : {}),
      };
    case 'alive':
      return { type: 'alive', epoch: name(fields, 'epoch'), revision: count(fields, 'revision') };
    case 'cut':
      return {
        type: 'cut',
        id: name(fields, 'id'),
        profile: name(fields, 'profile'),
        reason: (text(fields, 'reason') ?? '').slice(0, MAX_REASON),
        deadline_ms: count(fields, 'deadline_ms'),
      } satisfies Cut;
    case 'refused':
      return {
        type: 'refused',
        code: name(fields, 'code') as ConnectionRefusal['code'],
        message: text(fields, 'message') ?? '',
        hint: text(fields, 'hint') ?? '',
      };
    default:
      throw new ProtocolError(`unknown \`type\`: ${shown(fields['type'])}`);
  }
}

/** One process may serve all profiles of a host. */
const MAX_PROFILES = 4_096;
/** Three scopes of 64 holders. */
const MAX_HOLDS = 192;
const MIN_SECRET = 32;
const MAX_DOORS = 64;
const MAX_CUT = 64;
/** Characters of the reason of a cut, as of a hold. */
const MAX_REASON = 1_024;
const MAX_FEATURES = 16;
/** Characters of a part of a process mark. */
const MAX_MARK = 64;

function servedProfile(fields: Fields): ServedProfile {
  return {
    name: name(fields, 'name'),
    doors: strings(fields, 'doors', MAX_DOORS),
    in_flight: count(fields, 'in_flight'),
  };
}

function stateHold(fields: Fields): StateHold {
  const scope = fields['scope'];
  return {
    scope: scope === 'profile' || scope === 'cluster' ? scope : 'root',
    id: name(fields, 'id'),
    holder: text(fields, 'holder'),
    reason: text(fields, 'reason'),
    since: text(fields, 'since'),
    expires_at: text(fields, 'expires_at'),
  };
}

/** The error does not quote the value: it is logged, and the value is secret. */
function secret(value: unknown): Pick<Hello, 'secret'> {
  if (value === undefined) return {};
  if (isName(value) && value.length >= MIN_SECRET) return { secret: value };
  throw new ProtocolError(`\`secret\` is not a text of ${MIN_SECRET} to ${MAX_NAME} characters`);
}

function processMark(value: unknown): { mark?: GatewayMark } {
  if (value === undefined) return {};
  const fields = record(value, '`mark`');
  const part = (key: string): string => {
    const found = fields[key];
    if (typeof found === 'string' && found.length <= MAX_MARK) return found;
    throw new ProtocolError(`\`${key}\` is not a text of at most ${MAX_MARK} characters`);
  };
  const pid = count(fields, 'pid');
  if (pid === 0) throw new ProtocolError('`pid` of a mark is 0');
  return { mark: { pid, start: part('start'), boot: part('boot'), pid_ns: part('pid_ns') } };
}

/** Those that this version knows: the other end may be newer. */
function features(value: unknown): { features?: readonly Feature[] } {
  if (value === undefined) return {};
  if (!Array.isArray(value) || value.length > MAX_FEATURES) {
    throw new ProtocolError(`\`features\` is not a list of at most ${MAX_FEATURES}`);
  }
  return { features: FEATURES.filter((feature) => value.includes(feature)) };
}

const FEATURES: readonly Feature[] = ['cut', 'goodbye'];
