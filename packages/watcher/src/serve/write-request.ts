/**
 * Parses the body of `POST /v1/holds` strictly: nothing is armed that was not asked for explicitly.
 */
import {
  type ArmRequest,
  expiryMs,
  formatInstant,
  HOLDER_NAME_RULE,
  hidesSomething,
  isHolderName,
  isProfileName,
  MAX_INSTANT_MS,
  parseDuration,
  replaceHidden,
} from '@fleet-estop/sentinel-core';
import { type HttpError, httpError } from './answers.ts';
import { repeatedKey } from './repeated-key.ts';

export interface HoldRequest {
  /** null: the whole fleet. */
  readonly profile: string | null;
  readonly holder: string;
  readonly arm: ArmRequest;
  /** Only answer what would happen. */
  readonly dryRun: boolean;
}

/** The only keys that a client may send. */
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
/** Date, time and offset; without an offset it would be ambiguous. */
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
    throw new InvalidRequest('the body is not JSON', 'send one JSON object');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new InvalidRequest('the body is not a JSON object', 'send one JSON object');
  }
  const twice = repeatedKey(text);
  if (twice !== null) {
    throw new InvalidRequest(
      `\`${printable(twice)}\` is given twice`,
      'give it once: two values may contradict each other',
    );
  }
  const stray = Object.keys(parsed).find((key) => !(KEYS as readonly string[]).includes(key));
  if (stray === undefined) return parsed;
  throw new InvalidRequest(
    `\`${printable(stray)}\` is not understood`,
    `the keys are ${KEYS.join(', ')}`,
  );
}

const printable = (key: string): string => replaceHidden(key.slice(0, 64), '?');

/** undefined: anything may stand; null: nothing may stand. */
function generationOf(generation: unknown): string | null | undefined {
  if (generation === undefined || generation === null) return generation;
  if (typeof generation === 'string' && generation !== '' && generation.length <= 256) {
    return generation;
  }
  const hint = 'give the `generation` of a dry run or of /v1/state, or null for none';
  throw new InvalidRequest('`if_generation` is not a generation', hint);
}

function dryRunOf(dryRun: unknown): boolean {
  if (dryRun === undefined || typeof dryRun === 'boolean') return dryRun ?? false;
  throw new InvalidRequest('`dry_run` is neither true nor false', 'leave it out to write');
}

/** A missing profile must not pause the whole fleet. */
function profileOf({ profile, root }: Body): string | null {
  const hint = 'give either `"profile": "<name>"` or `"root": true`';
  if (profile === undefined && root === true) return null;
  if (root !== undefined) throw new InvalidRequest('what to pause is not clear', hint);
  if (typeof profile !== 'string') throw new InvalidRequest('what to pause is not given', hint);
  if (isProfileName(profile)) return profile;
  throw new InvalidRequest('`profile` is not a valid profile name', hint);
}

function holderNamed(holder: unknown, key: string): string {
  if (typeof holder === 'string' && isHolderName(holder)) return holder;
  throw new InvalidRequest(
    `${key} is not a valid name`,
    `give a name, such as \`operator\`: ${HOLDER_NAME_RULE}`,
  );
}

/** Who lifts, as given by the client; undefined: not given. */
export function parseAuthor(names: readonly string[] | undefined): string | undefined | HttpError {
  if (names === undefined) return undefined;
  try {
    if (names.length > 1) throw new InvalidRequest('`as` is given twice', 'give it once');
    return holderNamed(names[0], '`as`');
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return httpError(400, 'request-invalid', error.message, error.hint);
  }
}

/**
 * The core cuts a reason that is too long and reports it: a pause must not fail because of its
 * reason.
 */
function reasonOf(reason: unknown): string | null | undefined {
  if (reason === undefined || reason === null) return reason;
  if (typeof reason === 'string' && reason.trim() !== '') return reason;
  throw new InvalidRequest('`reason` is empty', 'give a text, or null for none');
}

/** undefined: keep this holder's deadline; null: none. */
function deadlineOf({ ttl, until }: Body, nowMs: number): string | null | undefined {
  if (ttl !== undefined && until !== undefined) {
    throw new InvalidRequest('`ttl` and `until` exclude each other', 'give one of them');
  }
  if (ttl === undefined && until === undefined) return undefined;
  if (ttl === null || until === null) return null;
  const ms = ttl === undefined ? instantOf(until) : nowMs + durationOf(ttl);
  if (ms <= nowMs) throw new InvalidRequest('`until` has already passed', 'give a later instant');
  if (ms <= MAX_INSTANT_MS) return formatInstant(ms);
  throw new InvalidRequest(
    'the deadline is too far in the future',
    'leave it out: a hold without a deadline stands until it is lifted',
  );
}

function durationOf(ttl: unknown): number {
  const seconds = typeof ttl === 'string' ? parseDuration(ttl) : null;
  if (seconds !== null) return Number(seconds) * 1_000;
  throw new InvalidRequest('`ttl` is not a duration', 'give a text such as 45m, 2h, 1h30m or 2d');
}

function instantOf(until: unknown): number {
  const ms = typeof until === 'string' && INSTANT.test(until) ? expiryMs(until) : null;
  if (ms !== null) return ms;
  const hint = 'give date, time and offset, as in 2026-11-29T18:00:00+01:00';
  throw new InvalidRequest('`until` is not an instant with an offset', hint);
}

/** undefined: keep this holder's allowlist; null: nobody may pass. */
function allowOf(users: unknown): ArmRequest['allow'] {
  if (users === undefined || users === null) return users;
  const isList = Array.isArray(users) && users.length <= MAX_ALLOWED && users.every(isUser);
  if (!isList) {
    throw new InvalidRequest(
      '`allow_users` is not a list of ids',
      'give texts, or null to let nobody pass',
    );
  }
  return users.length === 0 ? null : { userIds: users };
}

const isUser = (user: unknown): boolean =>
  typeof user === 'string' &&
  user !== '' &&
  user.length <= 256 &&
  user.trim() === user &&
  !hidesSomething(user);
