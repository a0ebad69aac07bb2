/**
 * Restarts the gateways of one group of profiles: hold, drain, tell whose work is cut, restart, verify, lift.
 * Whatever fails after the restart began leaves the profiles held, with a hold that says why.
 */
import { INSIDE_GATEWAY } from '@fleet-estop/protocol';
import type { Profile } from '@fleet-estop/sentinel-core';
import { wedgedIn } from '../../drain/judge.ts';
import type { Target } from '../../fleet/targets.ts';
import { span } from '../../text/time.ts';
import { visible } from '../../text/visible.ts';
import { askState } from '../../watcher-client/ask-state.ts';
import { type Group, namesOf, servingAny } from './groups.ts';
import { type HeldProfiles, heldProfiles } from './held-profiles.ts';
import { cut, drain, leftText } from './in-hand.ts';
import type { Run } from './run.ts';
import { runMeans } from './run-means.ts';
import { type Verified, verify } from './verify.ts';

export type GroupOutcome =
  | 'restarted'
  /** Nothing was restarted, and the own holds are lifted. */
  | 'not-restarted'
  /** The means ran, and no new instance was seen to stay. The profiles stay held. */
  | 'failed'
  /** Verified, and a hold could not be lifted. */
  | 'not-lifted'
  | 'interrupted';

export interface GroupResult {
  readonly group: Group;
  readonly outcome: GroupOutcome;
  /** null with `restarted`. */
  readonly why: string | null;
  readonly oldInstances: readonly string[];
  readonly newInstances: readonly string[];
  /** Whether all work had ended before the restart. */
  readonly drained: boolean;
  /** Conversations that were told that their work is cut. */
  readonly told: number;
  /** Whom nobody could tell; what stands; a line each. */
  readonly notices: readonly string[];
}

/** However short `--timeout` is, a process needs a while to start. */
const LEAST_ARRIVAL_MS = 10_000;
/** The means run this often at most. */
const ATTEMPTS = 2;

export async function restartGroup(
  run: Run,
  group: Group,
  targets: readonly (Target & { readonly profile: string })[],
): Promise<GroupResult> {
  const { session, plan, waiting } = run;
  const { profiles } = group;
  const names = namesOf(group);
  const notices: string[] = [];
  let oldInstances = group.gateways.map(({ instance }) => instance);
  let drained = false;
  let told = 0;
  const record = { ...run.record, oldInstances };
  const say = (line: string): void => run.say(`${names}: ${line}`);
  const warn = (line: string): void => run.say(line);
  const held = heldProfiles({ session, plan, targets, profiles, record, warn });

  const result = (
    outcome: GroupOutcome,
    why: string | null,
    newInstances: readonly string[] = [],
  ): GroupResult => ({ group, outcome, why, oldInstances, newInstances, drained, told, notices });

  /** Before anything was restarted. */
  const undo = async (outcome: 'not-restarted' | 'interrupted', why: string) => {
    const { failures, others } = await held.lift();
    notices.push(...failures, ...others);
    if (failures.length === 0) say('lifted: nothing was restarted');
    return result(outcome, why);
  };

  const refused = await held.place();
  if (refused !== null) return result('not-restarted', refused);
  say('held');
  try {
    const interrupted = () => waiting.interruption() !== null;
    if (interrupted())
      return await undo('interrupted', 'interrupted before anything was restarted');

    const unwritten = held.enter('draining');
    if (unwritten !== null) return await undo('not-restarted', unwritten);
    const look = await drain(run, profiles);
    if (look.end === 'SIGINT' || look.end === 'SIGTERM' || interrupted()) {
      return await undo('interrupted', 'interrupted before anything was restarted');
    }
    const open = [...look.undone, ...held.open()];
    if (open.length > 0) return await undo('not-restarted', `it is not held: ${open.join('; ')}`);
    drained = (look.end === 'drained' || look.end === 'nobody') && wedgedIn(look.look).length === 0;
    say(drained ? `drained after ${span(look.waitedMs)}` : leftText(look.look, run));

    if (!drained) {
      const why = held.enter('cutting');
      if (why !== null) return await undo('not-restarted', why);
      told += await cut(run, profiles, notices, say);
      if (interrupted())
        return await undo('interrupted', 'interrupted before anything was restarted');
    }
    // Somebody else may have restarted it meanwhile; and who is away for a moment may come back.
    const asked = await askState(session.root.root, { timeoutMs: 2_000 });
    if (asked.reached && asked.state !== null) {
      const serving = servingAny(
        asked.state,
        profiles.map(({ name }) => name),
      );
      oldInstances = [...new Set([...oldInstances, ...serving.map(({ instance }) => instance)])];
    }
    const lost = held.open();
    if (lost.length > 0)
      return await undo('not-restarted', `somebody lifted the hold on ${lost.join(', ')}`);
  } catch (error) {
    await undo('not-restarted', 'unexpected');
    throw error;
  }

  const old = new Set(oldInstances);
  let seen: Verified = { kind: 'failed', why: 'nothing was done', instances: [] };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const why = held.enter('restarting', [...old]);
    if (why !== null) return attempt === 1 ? undo('not-restarted', why) : fail(why);
    const { words } = group.means;
    const end = await runMeans(group.means, environmentFor(profiles));
    notices.push(...(end.failure === null ? [] : failureLines(end)));
    say(end.failure === null ? `restarted by \`${visible(words[0])}\`` : visible(end.failure));
    if (waiting.interruption() !== null) return interruptedAfter();
    if (end.failure === null) {
      held.enter('verifying', [...old]);
      seen = await verify({
        ...{ root: session.root.root, disk: session.disk, profiles, old, waiting },
        arriveMs: Math.max(run.timeoutMs, LEAST_ARRIVAL_MS),
        settleMs: run.settleMs,
      });
      if (seen.kind === 'interrupted') return interruptedAfter();
      if (seen.kind === 'verified') return finish(held, seen.instances);
      // A new instance that did not stay is none of the next attempt.
      for (const instance of seen.instances) old.add(instance);
      say(seen.why);
    } else {
      seen = { kind: 'failed', why: end.failure, instances: [] };
    }
    if (attempt < ATTEMPTS) say('trying once more');
  }
  return fail(seen.kind === 'failed' ? seen.why : 'unknown');

  async function finish(holds: HeldProfiles, instances: readonly string[]): Promise<GroupResult> {
    say(
      `verified: \`${instances.map(visible).join('`, `')}\` has stayed for ${span(run.settleMs)}`,
    );
    const { failures, others } = await holds.lift();
    notices.push(...failures, ...others);
    if (failures.length > 0) return result('not-lifted', failures.join('; '), instances);
    say('lifted');
    return result('restarted', null, instances);
  }

  function fail(why: string): GroupResult {
    const reason = `restart failed: ${why}`;
    notices.push(...held.leave(reason, 'removed'));
    return result('failed', why, seen.kind === 'failed' ? seen.instances : []);
  }

  /** The record stays: the watcher and `doctor --fix` finish it once a new instance is there. */
  function interruptedAfter(): GroupResult {
    const why = 'interrupted after the restart had begun, and before a new instance was verified';
    notices.push(...held.leave(`restart ${why}`, 'kept'));
    return result('interrupted', why);
  }
}

function environmentFor([first]: readonly Profile[]): Readonly<Record<string, string>> {
  return {
    FLEET_PROFILE: first?.name ?? '',
    FLEET_HOME: first?.home ?? '',
    // What is started now is not inside the gateway from which this was called.
    [INSIDE_GATEWAY]: '',
  };
}

const failureLines = ({ lines }: { readonly lines: readonly string[] }): string[] =>
  lines.map((line) => `  ${visible(line)}`);
