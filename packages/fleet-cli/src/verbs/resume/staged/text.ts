/**
 * What `fleet resume --staged` answers: what is running, what is still held and by whom, and how to go on.
 * Its keys with `--json` are part of the contract: docs/json.md describes each.
 */
import type { MissedChoice } from '@fleet-estop/sentinel-core';
import { resumeCommand } from '../../../fleet/hold-text.ts';
import { rootJson } from '../../../fleet/json.ts';
import type { Session } from '../../../fleet/session.ts';
import { isHeld, type ProfileState } from '../../../fleet/state.ts';
import type { Json } from '../../../text/json.ts';
import type { View } from '../../../text/view.ts';
import { shellOption, visible } from '../../../text/visible.ts';
import { whyText } from '../../../text/why.ts';
import type { Pace } from './options.ts';
import type { WaveOutcome } from './run-waves.ts';
import { holderNames, holdersOf, type StagedMode } from './turns.ts';
import type { Turn } from './waves.ts';

export interface StagedFacts {
  readonly session: Session;
  readonly mode: StagedMode;
  readonly pace: Pace;
  /** The holder of `--as`; null: not given. */
  readonly caller: string | null;
  readonly dryRun: boolean;
  /** The choice of --missed; null: not given. */
  readonly missed: MissedChoice | null;
  readonly waves: readonly (readonly Turn[])[];
  readonly outcome: WaveOutcome;
  /** Of the selected profiles, or of all, afterwards. */
  readonly profileStates: readonly ProfileState[];
  /** Profiles that have not had their turn, and are held until then. */
  readonly waiting: readonly string[];
}

export function stagedLines(facts: StagedFacts, { paint }: View): string[] {
  const { waves, outcome, profileStates, waiting, dryRun } = facts;
  if (dryRun) {
    return waves.map((wave, at) => `wave ${at + 1} of ${waves.length}: ${namesIn(wave)}`);
  }
  const held = profileStates.filter(({ states }) => isHeld(states));
  const lines: string[] = [];
  const { resumed, unheld } = freeIn(facts);
  if (resumed.length > 0) {
    const how = `${outcome.begunMs.length} of ${waves.length} waves`;
    const word = paint('green', 'RESUMED');
    lines.push(`${word} ${profilesText(resumed.length)}, after ${how}: nothing holds them`);
  }
  if (unheld.length > 0) lines.push(`nothing was held, running: ${unheld.map(visible).join(', ')}`);
  const others = held.filter(({ profile }) => !waiting.includes(profile ?? ''));
  for (const { profile, states } of others) {
    const who = holderNames(states).join(', ');
    lines.push(`${paint('yellow', 'STILL PAUSED')} ${visible(profile ?? '')}: held by ${who}`);
  }
  if (waiting.length > 0) {
    const who = waiting.map(visible).join(', ');
    lines.push(`${paint('yellow', 'STILL PAUSED')}, without a turn so far: ${who}`);
  }
  const command = commandToGoOn(facts);
  if (command !== null) lines.push(`go on with: ${command}`);
  return lines;
}

/** The profiles that had their turn and are free: by a lift of this call, or without one. */
function freeIn({ waves, outcome, profileStates }: StagedFacts) {
  const isLifted = new Set(
    outcome.resumings.flatMap(({ target: { profile }, result }) =>
      'unexpectedError' in result || !result.lifted ? [] : [profile],
    ),
  );
  const held = new Set(
    profileStates.filter(({ states }) => isHeld(states)).map(({ profile }) => profile),
  );
  const [resumed, unheld]: [string[], string[]] = [[], []];
  for (const { names } of waves.slice(0, outcome.begunMs.length).flat()) {
    const free = names.filter((name) => !held.has(name));
    (names.some((name) => isLifted.has(name)) ? resumed : unheld).push(...free);
  }
  return { resumed, unheld };
}

export function stagedNotices({ session, outcome, waiting, dryRun }: StagedFacts): string[] {
  const { stopped } = outcome;
  const { unreadable } = session.selection.listing;
  const unlisted =
    unreadable === undefined ? [] : [`the profiles cannot be listed: ${whyText(unreadable)}`];
  const notices = [...outcome.notices, ...unlisted];
  if (stopped === null || dryRun) return notices;
  const rest = waiting.length === 0 ? '' : `; still held: ${profilesText(waiting.length)}`;
  return [...notices, `NOT all resumed: ${visible(stopped)}${rest}`];
}

export function stagedDocument(facts: StagedFacts): { [key: string]: Json } {
  const { session, mode, missed, waves, outcome, profileStates, waiting, dryRun } = facts;
  return {
    schema: 'fleet/resume-staged/v1',
    ...rootJson(session.root),
    dry_run: dryRun,
    operation: dryRun ? null : session.operation,
    holder: mode.holder,
    missed,
    stopped: outcome.stopped,
    waves: waves.map((wave, at) => {
      const ms = outcome.begunMs[at];
      return {
        profiles: wave.flatMap(({ names }) => names),
        at: ms === undefined ? null : new Date(ms).toISOString(),
      };
    }),
    results: profileStates.map(({ profile, states }) => ({
      profile,
      state: isHeld(states) ? 'paused' : 'free',
      holders: holdersOf(states),
    })),
    waiting,
    continue_with: commandToGoOn(facts),
  };
}

/** null: nobody waits. */
function commandToGoOn({ session, mode, pace, caller, waiting, dryRun, outcome }: StagedFacts) {
  const notBegun = outcome.stopped !== null && outcome.begunMs.length === 0;
  if (dryRun || (waiting.length === 0 && !notBegun)) return null;
  const canaries = notBegun ? pace.canaries.map((name) => shellOption('--canary', name)) : [];
  return [
    resumeCommand(session.root, null),
    '--staged',
    ...(caller === null ? [] : [shellOption('--as', caller)]),
    ...(mode.kind === 'profiles' ? waiting.map((name) => shellOption('-p', name)) : ['--continue']),
    ...canaries,
    ...pace.words,
  ].join(' ');
}

const namesIn = (wave: readonly Turn[]): string =>
  wave.flatMap(({ names }) => names.map(visible)).join(', ');

const profilesText = (count: number): string => `${count} profile${count === 1 ? '' : 's'}`;
