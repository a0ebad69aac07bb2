/**
 * Encodes messages to lines and decodes them. Input from the other end is hostile until parsed here.
 * Unknown fields are ignored, so that either end can be newer within a protocol version. The messages
 * are `schemas/socket.ts`.
 */
import { MAX_LINE_BYTES } from './limits.ts';
import type {
  Ack,
  ConnectionRefusal,
  FromGateway,
  FromWatcher,
  Hello,
  ServedProfile,
  State,
  StateHold,
} from './types.ts';

/** The input is not a message of this protocol; `message` names the offending part. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = 'malformed';
}

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
const MAX_NAME = 256;
const MIN_SECRET = 32;
const MAX_DOORS = 64;

type Fields = { readonly [key: string]: unknown };

function object(line: string): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch (error) {
    throw new ProtocolError('a line is not JSON', { cause: error });
  }
  return record(parsed, 'a line');
}

function record(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ProtocolError(`${what} is not an object`);
  }
  return value as Fields;
}

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

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= MAX_NAME;

function name(fields: Fields, key: string): string {
  const value = fields[key];
  if (isName(value)) return value;
  throw new ProtocolError(
    `\`${key}\` is not a text of 1 to ${MAX_NAME} characters: ${shown(value)}`,
  );
}

/** The error does not quote the value: it is logged, and the value is secret. */
function secret(value: unknown): Pick<Hello, 'secret'> {
  if (value === undefined) return {};
  if (isName(value) && value.length >= MIN_SECRET) return { secret: value };
  throw new ProtocolError(`\`secret\` is not a text of ${MIN_SECRET} to ${MAX_NAME} characters`);
}

function text(fields: Fields, key: string): string | null {
  const value = fields[key];
  return typeof value === 'string' ? value : null;
}

function count(fields: Fields, key: string): number {
  const value = fields[key];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new ProtocolError(`\`${key}\` is not a whole number from 0 up: ${shown(value)}`);
}

function list(fields: Fields, key: string, most: number): Fields[] {
  const value = fields[key];
  if (!Array.isArray(value) || value.length > most) {
    throw new ProtocolError(`\`${key}\` is not a list of at most ${most}: ${shown(value)}`);
  }
  return value.map((item) => record(item, `an item of \`${key}\``));
}

function strings(fields: Fields, key: string, most: number): string[] {
  const value = fields[key];
  const fits = (item: unknown): item is string =>
    typeof item === 'string' && item.length <= MAX_NAME;
  if (Array.isArray(value) && value.length <= most && value.every(fits)) return value;
  throw new ProtocolError(`\`${key}\` is not a list of at most ${most} names: ${shown(value)}`);
}

/** Shows no content of lists and objects: they can be nested deeper than the stack. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
