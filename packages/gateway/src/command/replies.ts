/**
 * What `/pause` answers, in plain lines of text: only what was read back from the disk.
 * Deadlines are in UTC: whoever reads a chat need not live where the gateway does.
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
    /** `/pause off`, and nothing held it before. */
    | 'free'
    /** `/pause off`, and something holds all the same. */
    | 'still-paused'
    | 'status'
    /** How it is written, for whoever asked that; nothing was looked at. */
    | 'help'
    | 'refused'
    | 'mistaken'
    | 'failed';
  /** What was asked is so, as it was read back from the disk. */
  readonly done: boolean;
  /** Is the profile held, by whatever scope? null: this was not looked at. */
  readonly engaged: boolean | null;
  /** For people, a few lines of plain text: to be escaped where markup is understood. */
  readonly text: string;
  /** What the author's check threw, or what must not have happened. For a log. */
  readonly cause?: unknown;
}

/** Characters of a text from a file or a person in one line of a reply. */
export const MAX_WORDS = 200;
/** Holds that a reply names one by one: a chat message is no report. */
const MAX_NAMED = 5;

/** `until 2026-11-29 18:00:00 UTC (in 1h 59m)`, or that it does not end by itself. */
export function deadlineText({ expiresAt, expiresAtMs }: Hold, nowMs: number): string {
  if (expiresAt === null) return 'until it is lifted';
  if (expiresAtMs === null) {
    return `until it is lifted, since its deadline \`${oneLine(expiresAt, 40)}\` cannot be read`;
  }
  const left = expiresAtMs <= nowMs ? 'passed' : `in ${formatSpan(expiresAtMs - nowMs)}`;
  return `until ${formatUtc(expiresAtMs)} (${left})`;
}

/** `- lane-a, by operator: bad deploy, until …`, a line for each hold, nearest first. */
export function holdLines(
  states: readonly ScopeState[],
  own: string,
  nowMs: number,
): readonly string[] {
  const standing = states.flatMap(({ scope, check }) =>
    check.engaged ? check.holds.map((hold) => ({ scope, hold })) : [],
  );
  const lines = standing.slice(0, MAX_NAMED).map(({ scope, hold }) => {
    const facts = [reasonText(hold), deadlineText(hold, nowMs), howToLift(scope, hold, own)];
    return `- ${scopeText(scope)}, by ${holderText(hold)}: ${facts.join(', ')}`;
  });
  const more = standing.length - lines.length;
  return more === 0 ? lines : [...lines, `- and ${more} more, which \`fleet status\` names`];
}

export function reasonText({ reason, unreadable }: Hold): string {
  if (reason !== null && reason !== '') return oneLine(reason, MAX_WORDS);
  if (unreadable === undefined) return 'no reason given';
  return unreadable === 'empty' ? 'an empty file' : `cannot be read (${unreadable}), so it holds`;
}

/** What happened otherwise than asked, though the profile is held. */
export function armedNotices(result: Extract<ArmResult, { armed: true }>): string[] {
  const { degraded, why = 'unknown', shortened } = result;
  const lines: string[] = [];
  if (degraded === 'empty' || degraded === 'folder') {
    const placed = degraded === 'empty' ? 'an empty file' : 'an empty folder';
    lines.push(
      `Only ${placed} could be placed: ${whyText(why)}. It says no reason, has no deadline, and an operator lifts it.`,
    );
  }
  if (degraded === 'direct') lines.push(`It was written without taking turns: ${whyText(why)}.`);
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
    `Could pass before, and cannot while this stands: ${oneLine(lost.join(', '), MAX_WORDS)}.`,
  ];
}

export const recordNotice = (why: string | null): string[] =>
  why === null ? [] : [`It was not recorded in the journal: ${whyText(why)}.`];

/** `the disk is full (ENOSPC)`. */
export function whyText(why: string): string {
  const sentence = SENTENCES[why];
  return sentence === undefined ? oneLine(why, MAX_WORDS) : `${sentence} (${why})`;
}

const SENTENCES: Readonly<Record<string, string>> = {
  busy: 'another operation on this profile did not finish in time',
  overtaken: 'somebody else lifted or replaced it before it was seen',
  unseen: 'it was not seen on disk afterwards',
  'too-many-holders': 'as many holders as a profile can have hold it already',
  EACCES: 'the gateway may not write there',
  EPERM: 'the gateway may not do that there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOENT: "the profile's folder is gone",
};

const holderText = ({ holder }: Hold): string =>
  holder === null ? 'nobody named' : oneLine(holder, 64);

function scopeText({ kind, profile }: Scope): string {
  if (kind === 'profile') return oneLine(profile ?? '', 64);
  return kind === 'root' ? 'the whole fleet' : 'the cluster';
}

function howToLift({ kind, profile }: Scope, { holder, unreadable }: Hold, own: string): string {
  if (kind === 'cluster') return 'lifted in the cluster';
  if (kind === 'profile' && holder === own) return 'lifted with `/pause off`';
  const words =
    kind === 'profile' ? ['fleet resume -p', oneLine(profile ?? '', 64)] : ['fleet resume'];
  // Whose holds are in what could not be looked at is not known, so no holder lifts them.
  if (couldNotLook(unreadable)) words.push('--everyone');
  if (holder === null) return `lifted by an operator: \`${words.join(' ')}\``;
  // Any other name is no word that a shell takes as it is.
  const isWord = /^[A-Za-z0-9_.:@+][A-Za-z0-9_.:@+-]*$/.test(holder);
  return isWord
    ? `lifted by its holder: \`${words.join(' ')} --as ${holder}\``
    : 'lifted by its holder';
}
