/**
 * `fleet assert acknowledged`: has every expected gateway acknowledged the current state on disk?
 * Only a watcher knows. Without one the answer is unknown, which is never a pass.
 */
import type { SelectionOptions } from '../../fleet/selection.ts';
import type { GlobalOptions } from '../../fleet/session.ts';
import { notSeenIn, type ProfileState } from '../../fleet/state.ts';
import {
  connectedIn,
  type DepartedGateway,
  isAbsent,
  type ProfileAccount,
  processOf,
  type Serving,
} from '../../watcher-client/account.ts';
import { isUnjudged } from '../../watcher-client/gateways-text.ts';
import { type Watched, type Watching, watchedProfiles } from '../../watcher-client/watched.ts';
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
export function judgeAcknowledged(
  options: Options,
  nowMs: number,
  withinMs: number | null,
): Promise<AssertFacts> {
  return judgedWithin((atMs, waits) => judgeOnce(options, atMs, waits), nowMs, withinMs);
}

async function judgeOnce(options: Options, nowMs: number, waits: boolean): Promise<AssertFacts> {
  const {
    session,
    root,
    profileStates: given,
    unknownProfiles,
  } = profilesToJudge(options, nowMs, waits);
  const asked = await watchedProfiles({ session, root, profileStates: given });
  const { profileStates } = asked;
  const watched = asFarAsKnown(asked.watched);
  const found = profileStates.map((profileState): Judgement => {
    const { profile } = profileState;
    const known = watched.reached && profile !== null ? watched.accounts.get(profile) : undefined;
    const account = known ?? null;
    const departed = watched.reached ? watched.departed : [];
    return { profileState, account, verdict: judge(profileState, account, departed) };
  });
  // If no gateway serves any of the profiles, nothing was acknowledged.
  const isDeserted = found.every(({ verdict }) => verdict === 'none');
  const judgements = isDeserted
    ? found.map((one) => ({ ...one, verdict: 'fail' as const }))
    : found;
  const outside = watched.reached ? outsideOf(watched) : [];
  const holds =
    watched.reached &&
    isWhole(session, unknownProfiles, waits) &&
    !isDeserted &&
    judgements.every(({ verdict }) => verdict === 'pass' || verdict === 'none') &&
    outside.every(({ verdict }) => verdict === 'pass');
  const assertion = { claim: 'acknowledged' } as const;
  return {
    session,
    assertion,
    judgements,
    outside,
    unknownProfiles,
    holds,
    waitedMs: null,
    watched,
  };
}

/** A watcher that has just started cannot answer yet, so it counts as not reached. */
const asFarAsKnown = (watched: Watched): Watched =>
  watched.reached && watched.mayMissGateways
    ? { reached: false, why: JUST_STARTED, absent: false }
    : watched;

const JUST_STARTED = 'it has just started, and gateways may still be reconnecting';

function judge(
  { profile, states }: ProfileState,
  account: ProfileAccount | null,
  departed: readonly DepartedGateway[],
): Judgement['verdict'] {
  if (account === null || states.some((state) => notSeenIn(state) !== null)) return 'unreadable';
  if (isAbsent(account)) return 'fail';
  const here = connectedIn(account);
  if (here.some(isUnjudged)) return 'unreadable';
  if (here.some(({ ackStatus }) => ackStatus !== 'acknowledged')) return 'fail';
  if (departed.some((departedGateway) => departedGateway.profile === profile)) return 'unreadable';
  return here.length === 0 ? 'none' : 'pass';
}

/** Gateways of names outside the fleet can make the assertion fail, but never make it pass. */
function outsideOf({ outsiders, accounts, departed }: Watching): Outside[] {
  const byProcess = new Map<string, [Serving, ...Serving[]]>();
  for (const one of outsiders ?? []) {
    const known = byProcess.get(processOf(one));
    if (known === undefined) byProcess.set(processOf(one), [one]);
    else known.push(one);
  }
  const found = [...byProcess.values()].map((serving): Outside => {
    const hasAcknowledged = serving.every(({ ackStatus }) => ackStatus === 'acknowledged');
    return { verdict: hasAcknowledged ? 'pass' : 'fail', serving };
  });
  const gone = departed.filter(({ profile }) => !accounts.has(profile));
  return gone.length === 0 ? found : [...found, { verdict: 'unreadable', departed: gone }];
}
