/**
 * Describes holds for people: holder, reason, deadline, allowlist, and the command that lifts one.
 * The same facts as JSON are `json.ts`.
 */
import {
  type Allow,
  couldNotLook,
  type Hold,
  isHolderName,
  type RootChoice,
  type Scope,
} from '@fleet-estop/sentinel-core';
import { ago, bothTimes, instantOf, localTime, span } from '../text/time.ts';
import { canBeArgument, shellOption, visible } from '../text/visible.ts';
import { unreadText } from '../text/why.ts';
import { actorOf } from './actor.ts';
import { isLiftedByDefault } from './holder.ts';

/** A profile's name, or `(root)` or `(cluster)`: with brackets it cannot be mistaken for a name. */
export const scopeName = ({ kind, profile }: Scope): string =>
  kind === 'profile' ? visible(profile ?? '') : `(${kind})`;

export const profileName = (profile: string | null): string => profile ?? '(root)';

export const holderName = ({ holder }: Hold): string =>
  holder === null ? '(anonymous)' : visible(holder);

/** `operator: runaway fan-out`. */
export function headline(hold: Hold): string {
  const reason = hold.reason === null ? noReason(hold) : visible(hold.reason);
  return `${holderName(hold)}: ${reason}`;
}

function noReason({ unreadable }: Hold): string {
  if (unreadable === undefined) return 'no reason given';
  return unreadable === 'empty'
    ? 'an empty file'
    : `cannot be read, so it holds: ${unreadText(unreadable)}`;
}

export function deadline(hold: Hold, nowMs: number): string {
  const { expiresAt, expiresAtMs } = hold;
  if (expiresAt === null) return 'none: stands until lifted';
  if (expiresAtMs === null) {
    return `none: \`${visible(expiresAt)}\` cannot be read as a time, so the hold never expires`;
  }
  if (expiresAtMs <= nowMs) return `${bothTimes(expiresAtMs)} (passed)`;
  return `${bothTimes(expiresAtMs)} (in ${span(expiresAtMs - nowMs)})`;
}

/** `2026-11-29 18:00:00 +01:00 (3m ago)`. */
export function sinceText({ engagedAt }: Hold, nowMs: number): string {
  const since = instantOf(engagedAt);
  return since === null ? 'not known' : `${localTime(since)} (${ago(since, nowMs)})`;
}

/** `was placed by alice on vm, process 7, via fleet pause, not by bob`. */
export const notByYou = (hold: Hold): string =>
  `was placed by ${placedBy(hold)}, not by ${visible(actorOf('').user)}`;

export function whoMayPass(allow: Allow | null): string {
  if (allow === null || allow.userIds.length === 0) return 'nobody';
  const users = allow.userIds.map(visible).join(', ');
  if (allow.profiles === undefined) return users;
  return allow.profiles.length === 0
    ? 'nobody'
    : `${users} on ${allow.profiles.map(visible).join(', ')}`;
}

export function placedBy({ actor }: Hold): string {
  if (actor === null) return 'not recorded';
  const { user, host, pid, via } = actor;
  return `${visible(user)} on ${visible(host)}, process ${pid}, via ${visible(via)}`;
}

/** The exact command with which the current user lifts this hold; null: no command on this host can. */
export function liftCommand(root: RootChoice, scope: Scope, hold: Hold): string | null {
  if (scope.kind === 'cluster') return null;
  const words = [resumeCommand(root, scope.profile ?? null)];
  if (couldNotLook(hold.unreadable)) return [...words, '--everyone'].join(' ');
  if (hold.holder !== null && !isLiftedByDefault(hold)) {
    if (isHolderName(hold.holder)) words.push(shellOption('--as', hold.holder));
    else if (canBeArgument(hold.id)) words.push(shellOption('--hold', hold.id));
    else words.push('--everyone');
  }
  return words.join(' ');
}

/** Names the root unless it is the default one. */
export function resumeCommand({ root, source }: RootChoice, profile: string | null): string {
  const words = ['fleet resume'];
  if (!source.startsWith('~')) words.push(shellOption('--root', root));
  if (profile !== null) words.push(shellOption('-p', profile));
  return words.join(' ');
}

/** The command that lifts it, or a sentence where there is none. */
export const howToLift = (root: RootChoice, scope: Scope, hold: Hold): string =>
  liftCommand(root, scope, hold) ?? "lift it in the cluster: this file is this host's copy";
