/**
 * `fleet assert drained`: is every profile held, acknowledged by its gateways, and without work in hand? It
 * places nothing. What cannot be read, or nobody can be asked about, is unknown, which is never a pass.
 */
import { DEFAULT_PROFILE } from '@fleet-estop/sentinel-core';
import { awaitDrained, type DrainReport } from '../../drain/await-drained.ts';
import { drainingOf } from '../../drain/draining.ts';
import { type DrainLook, isQuiet, isSilent, type ProfileDrain } from '../../drain/judge.ts';
import { signalOf } from '../../drain/outcome.ts';
import { countsText } from '../../drain/rows.ts';
import type { SelectionOptions } from '../../fleet/selection.ts';
import type { GlobalOptions } from '../../fleet/session.ts';
import { isHeld, notSeenIn, type ProfileState } from '../../fleet/state.ts';
import { gatewayName, unknownText } from '../../watcher-client/gateways-text.ts';
import { judgedWithin } from './judged-within.ts';
import {
  type AssertFacts,
  isWhole,
  type Judgement,
  type Outside,
  profilesToJudge,
} from './judgement.ts';

type Options = GlobalOptions & SelectionOptions;

/** `withinMs`: how long to wait; null: do not wait. */
export function judgeDrained(
  options: Options,
  nowMs: number,
  withinMs: number | null,
): Promise<AssertFacts> {
  return judgedWithin((atMs, waits) => judgeOnce(options, atMs, waits), nowMs, withinMs);
}

async function judgeOnce(options: Options, nowMs: number, waits: boolean): Promise<AssertFacts> {
  const judged = profilesToJudge(options, nowMs, waits);
  const { session, root, unknownProfiles } = judged;
  const report = await awaitDrained({
    root: session.root.root,
    draining: drainingOf(session),
    timeoutMs: 0,
    excludesWedged: false,
    unlisted: unknownProfiles,
    unreached: () => {},
    looked: () => {},
  });
  endIfInterrupted(report);
  const { look } = report;
  const byName = new Map(judged.profileStates.map((one) => [one.profile, one]));
  const found = look.profiles.map((one): Judgement => {
    // The root's own profile is not listed. A profile that has come since was not read, and is not held.
    const unlisted = one.profile === DEFAULT_PROFILE ? root.states : [];
    const states = byName.get(one.profile)?.states ?? unlisted;
    const profileState = { profile: one.profile, states };
    const [verdict, text] = judge(profileState, one, look);
    return { profileState, verdict, account: null, drain: { one, found: text } };
  });
  // If no gateway serves any of the profiles, nobody has said that nothing is in hand.
  const isDeserted = found.every(({ verdict }) => verdict === 'none');
  const judgements = isDeserted
    ? found.map((one) => ({ ...one, verdict: 'fail' as const }))
    : found;
  const outside = outsideOf(look);
  const holds =
    isWhole(session, unknownProfiles, waits) &&
    !isDeserted &&
    judgements.every(({ verdict }) => verdict === 'pass' || verdict === 'none') &&
    outside.every(({ verdict }) => verdict === 'pass');
  return {
    session,
    assertion: { claim: 'drained' },
    ...{ judgements, outside, unknownProfiles, holds },
    waitedMs: null,
    watched: null,
    look,
  };
}

/** Nothing was done that would have to be reported, so the process ends as by any signal. */
function endIfInterrupted(report: DrainReport): void {
  const signal = signalOf(report);
  if (signal !== null) process.kill(process.pid, signal);
}

function judge(
  { states }: ProfileState,
  one: ProfileDrain,
  look: DrainLook,
): [verdict: Judgement['verdict'], found: string] {
  if (states.some((state) => notSeenIn(state) !== null)) return ['unreadable', countsText(one)];
  if (!isHeld(states)) return ['fail', `not paused; ${countsText(one)}`];
  const { snapshot, unreached, silent } = look;
  if (snapshot === null || unreached !== null) {
    const why = unreached ?? 'it did not answer';
    return ['unreadable', unknownText({ why, absent: false })];
  }
  if (snapshot.mayMissGateways) {
    return ['unreadable', 'the watcher has just started, and gateways may still be reconnecting'];
  }
  const { profile, serving } = one;
  const mute = silent.filter((each) => each.profile === profile && isSilent(each));
  if (mute.length > 0) {
    const names = mute.map((each) => `${gatewayName(each)} (${each.ackStatus})`).join(', ');
    return ['fail', `not acknowledged by ${names}; ${countsText(one)}`];
  }
  if (snapshot.absent.some((each) => each.profile === profile)) {
    return ['fail', `a gateway is expected, and none is connected; ${countsText(one)}`];
  }
  if (snapshot.departed.some((each) => each.profile === profile)) {
    return ['unreadable', 'a gateway disconnected a moment ago and may reconnect'];
  }
  if (one.unreadable.length > 0) return ['unreadable', countsText(one)];
  if (!isQuiet(one)) return ['fail', countsText(one)];
  if (serving.length === 0) return ['none', `${countsText(one)}, and no gateway is connected`];
  return ['pass', `acknowledged by ${serving.length} of ${serving.length}, ${countsText(one)}`];
}

/** Gateways of names outside the fleet can make the assertion fail, but never make it pass. */
const outsideOf = ({ snapshot }: DrainLook): Outside[] =>
  (snapshot?.outsiders ?? []).map((one) => {
    const isDone = one.ackStatus === 'acknowledged' && one.inFlight === 0;
    return { verdict: isDone ? 'pass' : 'fail', serving: [one] };
  });
