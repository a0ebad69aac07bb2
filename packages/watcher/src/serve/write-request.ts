/**
 * What the body of `POST /v1/holds` asks for, parsed strictly: nothing is armed that was not asked
 * for in so many words.
 */
import {
  type ArmRequest,
  expiryMs,
  formatInstant,
  isProfileName,
  MAX_INSTANT_MS,
  parseDuration,
} from '@fleet-estop/sentinel-core';
import { type HttpError, httpError } from './answers.ts';
import { repeatedKey } from './repeated-key.ts';

export interface HoldRequest {
  /** null: the whole fleet. */
  readonly profile: string | null;
  readonly holder: string;
  readonly arm: ArmRequest;
  /** Only tell what would happen. */
  readonly dryRun: boolean;
}

/** What a client may say, and nothing else. */
const KEYS = [
  'profile',
  'root',
  'holder',
  'reason',
  'ttl',
  'until',
  'allow_users',
  'if_generation',
  'dry_run',
] as const;
type Body = { readonly [Key in (typeof KEYS)[number]]?: unknown };

const MAX_ALLOWED = 1_000;
/** Controls, and characters that are drawn as nothing or turn the text around them. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** A date and a time with an offset; without one it could mean two instants. */
const INSTANT = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)$/;

class InvalidRequest extends Error {
  readonly hint: string;
  constructor(message: string, hint: string) {
    super(message);
    this.hint = hint;
  }
}

export function parseHoldRequest(text: string, nowMs: number): HoldRequest | HttpError {
  try {
    const body = bodyOf(text);
    const holder = holderNamed(body.holder, '`holder`');
    const reason = reasonOf(body.reason);
    const expiresAt = deadlineOf(body, nowMs);
    const allow = allowOf(body.allow_users);
    const expectGeneration = generationOf(body.if_generation);
    const dryRun = dryRunOf(body.dry_run);
    const arm: ArmRequest = {
      holder,
      ...(reason === undefined ? {} : { reason }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(allow === undefined ? {} : { allow }),
      ...(expectGeneration === undefined ? {} : { expectGeneration }),
    };
    return { profile: profileOf(body), holder, arm, dryRun };
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return httpError(400, 'request-invalid', error.message, error.hint);
  }
}

function bodyOf(text: string): Body {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new InvalidRequest('the body is no JSON', 'send one JSON object');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new InvalidRequest('the body is no JSON object', 'send one JSON object');
  }
  const twice = repeatedKey(text);
  if (twice !== null) {
    throw new InvalidRequest(
      `\`${printable(twice)}\` is said twice`,
      'say it once: two may contradict',
    );
  }
  const stray = Object.keys(parsed).find((key) => !(KEYS as readonly string[]).includes(key));
  if (stray === undefined) return parsed;
  throw new InvalidRequest(
    `\`${printable(stray)}\` is not understood`,
    `the keys are ${KEYS.join(', ')}`,
  );
}

const printable = (key: string): string => key.slice(0, 64).replace(new RegExp(HIDDEN, 'gu'), '?');

/** undefined: whatever stands; null: nothing stands. */
function generationOf(generation: unknown): string | null | undefined {
  if (generation === undefined || generation === null) return generation;
  if (typeof generation === 'string' && generation !== '' && generation.length <= 256) {
    return generation;
  }
  const hint = 'the `generation` of a dry run or of /v1/state, or null for none';
  throw new InvalidRequest('`if_generation` is no generation', hint);
}

function dryRunOf(dryRun: unknown): boolean {
  if (dryRun === undefined || typeof dryRun === 'boolean') return dryRun ?? false;
  throw new InvalidRequest('`dry_run` is neither true nor false', 'leave it out to write');
}

/** Leaving out a profile must not pause a fleet. */
function profileOf({ profile, root }: Body): string | null {
  const hint = 'say either `"profile": "<name>"` or `"root": true`';
  if (profile === undefined && root === true) return null;
  if (root !== undefined) throw new InvalidRequest('what to pause is not clear', hint);
  if (typeof profile !== 'string') throw new InvalidRequest('what to pause was not said', hint);
  if (isProfileName(profile)) return profile;
  throw new InvalidRequest('`profile` is no name of a profile', hint);
}

function holderNamed(holder: unknown, key: string): string {
  const isName =
    typeof holder === 'string' &&
    holder.length <= 64 &&
    holder.trim() === holder &&
    holder !== '' &&
    !HIDDEN.test(holder);
  if (isName) return holder;
  throw new InvalidRequest(`${key} is no name`, 'say under which name, such as `operator`');
}

/** Who lifts, as they say themselves; undefined: it was not said. */
export function parseAuthor(names: readonly string[] | undefined): string | undefined | HttpError {
  if (names === undefined) return undefined;
  try {
    if (names.length > 1) throw new InvalidRequest('`as` is said twice', 'say it once');
    return holderNamed(names[0], '`as`');
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return httpError(400, 'request-invalid', error.message, error.hint);
  }
}

/** One that is too long is cut by the core, and says so: a pause must not fail for its reason. */
function reasonOf(reason: unknown): string | null | undefined {
  if (reason === undefined || reason === null) return reason;
  if (typeof reason === 'string' && reason.trim() !== '') return reason;
  throw new InvalidRequest('`reason` says nothing', 'a text, or null for none');
}

/** undefined: keep this holder's; null: none. */
function deadlineOf({ ttl, until }: Body, nowMs: number): string | null | undefined {
  if (ttl !== undefined && until !== undefined) {
    throw new InvalidRequest('`ttl` and `until` are two deadlines', 'give one of them');
  }
  if (ttl === undefined && until === undefined) return undefined;
  if (ttl === null || until === null) return null;
  const ms = ttl === undefined ? instantOf(until) : nowMs + durationOf(ttl);
  if (ms <= nowMs) throw new InvalidRequest('`until` has already passed', 'give a later instant');
  if (ms <= MAX_INSTANT_MS) return formatInstant(ms);
  throw new InvalidRequest(
    'no date can say that deadline',
    'leave it out: a hold stands until lifted',
  );
}

function durationOf(ttl: unknown): number {
  const seconds = typeof ttl === 'string' ? parseDuration(ttl) : null;
  if (seconds !== null) return Number(seconds) * 1_000;
  throw new InvalidRequest('`ttl` is no duration', 'a text such as 45m, 2h, 1h30m or 2d');
}

function instantOf(until: unknown): number {
  const ms = typeof until === 'string' && INSTANT.test(until) ? expiryMs(until) : null;
  if (ms !== null) return ms;
  const hint = 'date, time and offset, as in 2026-11-29T18:00:00+01:00';
  throw new InvalidRequest('`until` is no instant with an offset', hint);
}

/** undefined: keep this holder's; null: nobody passes. */
function allowOf(users: unknown): ArmRequest['allow'] {
  if (users === undefined || users === null) return users;
  const isList = Array.isArray(users) && users.length <= MAX_ALLOWED && users.every(isUser);
  if (!isList) {
    throw new InvalidRequest(
      '`allow_users` is no list of ids',
      'texts, or null to let nobody through',
    );
  }
  return users.length === 0 ? null : { userIds: users };
}

const isUser = (user: unknown): boolean =>
  typeof user === 'string' &&
  user !== '' &&
  user.length <= 256 &&
  user.trim() === user &&
  !HIDDEN.test(user);
