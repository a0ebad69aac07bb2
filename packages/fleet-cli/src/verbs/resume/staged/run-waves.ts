/**
 * Gives the waves their turns, one after the other, and stops with the rest still held when something is
 * not as it should be.
 */
import type { Session } from '../../../fleet/session.ts';
import { isHeld, notSeenIn } from '../../../fleet/state.ts';
import { targetOf } from '../../../fleet/targets.ts';
import { span } from '../../../text/time.ts';
import { visible } from '../../../text/visible.ts';
import { whyText } from '../../../text/why.ts';
import type { Interruptible } from '../../../watcher-client/interruptible.ts';
import { type LiftHow, type Resuming, recordResume, resumeOne } from '../resume-scope.ts';
import { runGuard } from './guard.ts';
import type { Pace } from './options.ts';
import { holderNames, holdsIn, type StagedMode } from './turns.ts';
import type { Turn } from './waves.ts';

export interface WaveRun {
  readonly session: Session;
  readonly mode: StagedMode;
  readonly pace: Pace;
  readonly waves: readonly (readonly Turn[])[];
  readonly options: LiftHow;
  readonly interruptible: Interruptible;
  readonly onProgress: (lines: readonly string[]) => void;
}

/** What came of the waves. */
export interface WaveOutcome {
  /** By wave that had its turn: when, milliseconds since the epoch. */
  readonly begunMs: readonly number[];
  readonly resumings: readonly Resuming[];
  /** Why the rest did not have its turn; null: every wave had it. */
  readonly stopped: string | null;
  readonly notices: readonly string[];
}

export async function runWaves(run: WaveRun): Promise<WaveOutcome> {
  const { session, pace, waves, interruptible, onProgress } = run;
  const begunMs: number[] = [];
  const resumings: Resuming[] = [];
  const notices: string[] = [];
  const known = new Set(holdsIn(session, null).holds.map(({ id }) => id));
  let stopped: string | null = null;
  for (const [at, wave] of waves.entries()) {
    stopped = at === 0 ? interruptionOf(interruptible) : await untilTurn(run, at);
    stopped ??= newHoldOf(session, known);
    if (stopped !== null) break;
    begunMs.push(Date.now());
    const seen = wave.flatMap((turn) => resumeTurn(run, turn, notices));
    resumings.push(...seen);
    onProgress([`wave ${at + 1} of ${waves.length}: ${seen.map(resultText).join(', ')}`]);
    stopped = failureOf(seen);
    if (stopped !== null) break;
    const next = waves[at + 1]?.flatMap(({ names }) => names).map(visible);
    if (next !== undefined) {
      onProgress([`  the next one, in ${span(pace.everyMs)}: ${next.join(', ')}`]);
    }
  }
  return { begunMs, resumings, stopped, notices };
}

const interruptionOf = ({ interruption }: Interruptible): string | null => {
  const signal = interruption();
  return signal === null ? null : `${signal} came`;
};

/** Why the next wave has no turn; null: it has. `at`: how many waves there were. */
async function untilTurn({ pace, interruptible }: WaveRun, at: number): Promise<string | null> {
  await interruptible.pause(pace.everyMs);
  const interrupted = interruptionOf(interruptible);
  if (interrupted !== null || pace.guard === null) return interrupted;
  const failure = await runGuard(pace.guard, at, interruptible.signal);
  return interruptionOf(interruptible) ?? failure;
}

/** A profile that is gone has no turn: nothing of it is left that could be held. */
function resumeTurn(run: WaveRun, { names: [name = ''] }: Turn, notices: string[]): Resuming[] {
  const session = { ...run.session, nowMs: Date.now() };
  const [target] = targetOf(session.root.root, name);
  if (target === undefined) return [];
  const resuming = resumeOne(session, { target, asked: run.mode.turn }, run.options);
  notices.push(...resuming.unchosen, ...recordResume(session, resuming));
  return [resuming];
}

function resultText({ target: { profile }, after }: Resuming): string {
  const name = visible(profile ?? '');
  if (!isHeld(after)) return `${name} is running`;
  return `${name} is still held by ${holderNames(after).join(', ')}`;
}

/** Somebody has lifted it before, or only others hold the profile. */
const NOTHING_TO_LIFT: ReadonlySet<string> = new Set(['absent', 'expired', 'not-held']);

/** Holds of others do not stop the waves, but a hold that should be gone, or cannot be read, does. */
function failureOf(resumings: readonly Resuming[]): string | null {
  for (const { target, result, after } of resumings) {
    const name = `\`${target.profile}\``;
    if ('unexpectedError' in result)
      return `${name} could not be resumed: ${result.unexpectedError}`;
    const unread = after.map(notSeenIn).find((why) => why !== null);
    if (unread !== undefined) return `${name} cannot be read: ${whyText(unread)}`;
    if (!result.lifted && !NOTHING_TO_LIFT.has(result.why)) {
      return `${name} could not be resumed: ${whyText(result.why)}`;
    }
  }
  return null;
}

/** Somebody pauses the whole fleet again while it comes back: whoever has not had a turn stays held. */
function newHoldOf(session: Session, known: ReadonlySet<string>): string | null {
  const { holds, unread } = holdsIn(session, null);
  if (unread !== null) return `the root cannot be read: ${whyText(unread)}`;
  const fresh = holds.find(({ id }) => !known.has(id));
  if (fresh === undefined) return null;
  return `the whole fleet was paused again, by ${visible(fresh.holder ?? '(anonymous)')}`;
}
