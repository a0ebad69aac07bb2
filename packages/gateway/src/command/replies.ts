/**
 * Builds the lines of a reply to `/pause`, only from what was read back from the disk.
 * Deadlines are in UTC, since readers of a chat can live in other time zones than the gateway.
 */
import {
  type ArmResult,
  closedOut,
  couldNotLook,
  formatSpan,
  formatUtc,
  type Hold,
  type Scope,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';

export interface PauseReply {
  readonly outcome:
    | 'paused'
    | 'resumed'
    /** `/pause off`, but nothing held the profile. */
    | 'free'
    /** `/pause off`, but something still holds the profile. */
    | 'still-paused'
    | 'status'
    /** The usage text; nothing was read or changed. */
    | 'help'
    | 'refused'
    | 'mistaken'
    | 'failed';
  /** true if the disk shows what was asked for. */
  readonly done: boolean;
  /** true if any scope holds the profile; null if the disk was not read. */
  readonly engaged: boolean | null;
  /** A few lines of plain text for people. Escape them if your chat interprets markup. */
  readonly text: string;
  /** What `mayControl` threw, or an unexpected error. For a log. */
  readonly cause?: unknown;
}

/** Characters of a text from a file or a user in one line of a reply. */
export const MAX_WORDS = 200;
/** Holds that a reply lists one by one: a chat message stays short. */
const MAX_NAMED = 5;

/** `until 2026-11-29 18:00:00 UTC (in 1h 59m)`, or `until it is lifted`. */
export function deadlineText({ expiresAt, expiresAtMs }: Hold, nowMs: number): string {
  if (expiresAt === null) return 'until it is lifted';
  if (expiresAtMs === null) {
    return `until it is lifted, since its deadline \`${oneLine(expiresAt, 40)}\` cannot be read`;
  }
  const left = expiresAtMs <= nowMs ? 'passed' : `in ${formatSpan(expiresAtMs - nowMs)}`;
  return `until ${formatUtc(expiresAtMs)} (${left})`;
}

/** One line for each hold, nearest first: `- lane-a, by operator: bad deploy, until …`. */
export function holdLines(
  states: readonly ScopeState[],
  own: string,
  nowMs: number,
): readonly string[] {
  const held = states.flatMap(({ scope, check }) =>
    check.engaged ? check.holds.map((hold) => ({ scope, hold })) : [],
  );
  const lines = held.slice(0, MAX_NAMED).map(({ scope, hold }) => {
    const facts = [reasonText(hold), deadlineText(hold, nowMs), howToLift(scope, hold, own)];
    return `- ${scopeText(scope)}, by ${holderText(hold)}: ${facts.join(', ')}`;
  });
  const more = held.length - lines.length;
  return more === 0 ? lines : [...lines, `- and ${more} more, which \`fleet status\` names`];
}

export function reasonText({ reason, unreadable }: Hold): string {
  if (reason !== null && reason !== '') return oneLine(reason, MAX_WORDS);
  if (unreadable === undefined) return 'no reason given';
  return unreadable === 'empty' ? 'an empty file' : `cannot be read (${unreadable}), so it holds`;
}

/** What differs from the request, although the profile is held. */
export function armedNotices(result: Extract<ArmResult, { armed: true }>): string[] {
  const { degraded, why = 'unknown', shortened } = result;
  const lines: string[] = [];
  if (degraded === 'empty' || degraded === 'folder') {
    const placed = degraded === 'empty' ? 'an empty file' : 'an empty folder';
    lines.push(
      `Only ${placed} could be placed: ${whyText(why)}. It has no reason and no deadline, and only an operator can lift it.`,
    );
  }
  if (degraded === 'direct')
    lines.push(`It was written without waiting for other writers: ${whyText(why)}.`);
  if (shortened) lines.push('The reason was too long and was shortened.');
  return lines;
}

/** The new hold changes no other hold, but it can close out people whom the others let pass. */
export function closedOutNotice(
  before: readonly ScopeState[],
  hold: Hold,
  profile: string,
): readonly string[] {
  const lost = closedOut(before, hold, profile);
  if (lost.length === 0) return [];
  return [
    `Can no longer pass while this hold is in place: ${oneLine(lost.join(', '), MAX_WORDS)}.`,
  ];
}

export const recordNotice = (why: string | null): string[] =>
  why === null ? [] : [`It was not recorded in the journal: ${whyText(why)}.`];

/** A reason code in words, such as `the disk is full (ENOSPC)`. */
export function whyText(why: string): string {
  const sentence = SENTENCES[why];
  return sentence === undefined ? oneLine(why, MAX_WORDS) : `${sentence} (${why})`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  busy: 'another operation on this profile did not finish in time',
  overtaken: 'somebody else lifted or replaced it before it was verified',
  unseen: 'it was not found on disk afterwards',
  'too-many-holders': 'the profile already has the maximum number of holders',
  EACCES: 'the gateway may not write there',
  EPERM: 'the gateway may not do that there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: "the profile's folder is gone",
};

const holderText = ({ holder }: Hold): string =>
  holder === null ? 'an unnamed holder' : oneLine(holder, 64);

function scopeText({ kind, profile }: Scope): string {
  if (kind === 'profile') return oneLine(profile ?? '', 64);
  return kind === 'root' ? 'the whole fleet' : 'the cluster';
}

function howToLift({ kind, profile }: Scope, { holder, unreadable }: Hold, own: string): string {
  if (kind === 'cluster') return 'lifted in the cluster';
  if (kind === 'profile' && holder === own) return 'lifted with `/pause off`';
  const words =
    kind === 'profile' ? ['fleet resume -p', oneLine(profile ?? '', 64)] : ['fleet resume'];
  // The holders of an unreadable sentinel are unknown, so only `--everyone` lifts it.
  if (couldNotLook(unreadable)) words.push('--everyone');
  if (holder === null) return `lifted by an operator: \`${words.join(' ')}\``;
  // Any other name would need quoting in a shell.
  const isWord = /^[A-Za-z0-9_.:@+][A-Za-z0-9_.:@+-]*$/.test(holder);
  return isWord
    ? `lifted by its holder: \`${words.join(' ')} --as ${holder}\``
    : 'lifted by its holder';
}
