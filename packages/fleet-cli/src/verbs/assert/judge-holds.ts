/**
 * Judges the claims of `fleet assert` that the disk alone decides: every claim but `acknowledged` and
 * `drained`. What the watcher must be asked for is `acknowledged.ts` and `drained.ts`.
 */
import type { SelectionOptions } from '../../fleet/selection.ts';
import type { GlobalOptions } from '../../fleet/session.ts';
import { isHeld, notSeenIn, type ProfileState } from '../../fleet/state.ts';
import {
  type AssertFacts,
  type Assertion,
  isWhole,
  type Judgement,
  profilesToJudge,
} from './judgement.ts';

type OptionsOfSelection = GlobalOptions & SelectionOptions;

/** Claims that the disk alone decides. */
type OfHolds = Exclude<Assertion, { claim: 'acknowledged' | 'drained' }>;

export function judgeHolds(
  assertion: OfHolds,
  options: OptionsOfSelection,
  nowMs: number,
  waits = false,
): AssertFacts {
  const { session, root, profileStates, unknownProfiles } = profilesToJudge(options, nowMs, waits);
  const judged = session.selection.profiles === null ? [root, ...profileStates] : profileStates;
  const judgements = judged.map((profileState) => judge(assertion, profileState));
  const holds =
    isWhole(session, unknownProfiles, waits) &&
    judgements.every(({ verdict }) => verdict === 'pass');
  const shared = { outside: [], unknownProfiles, holds, waitedMs: null, watched: null };
  return { session, assertion, judgements, ...shared };
}

export async function judgeHoldsWithin(
  assertion: OfHolds,
  options: OptionsOfSelection,
  withinMs: number,
): Promise<AssertFacts> {
  const [{ waitUntil }, { watchTargetsOf }] = await Promise.all([
    import('./wait-until.ts'),
    import('../../fleet/watch-targets.ts'),
  ]);
  // A mistaken selection is refused at once, not when the time is up.
  judgeHolds(assertion, options, Date.now(), true);
  const startedAt = performance.now();
  const look = () => {
    const value = judgeHolds(assertion, options, Date.now(), true);
    const profileStates = value.judgements.map(({ profileState }) => profileState);
    return {
      value,
      isTrue: value.holds,
      targets: (endMs: number) => watchTargetsOf(value.session, profileStates, endMs),
    };
  };
  const facts = await waitUntil(look, withinMs);
  return { ...facts, waitedMs: performance.now() - startedAt };
}

/** State that could not be read counts as held, but it is not known to be as claimed. */
function judge(assertion: OfHolds, profileState: ProfileState): Judgement {
  const unreadable = profileState.states.some((state) => notSeenIn(state) !== null);
  const verdict = unreadable ? 'unreadable' : isTrue(assertion, profileState) ? 'pass' : 'fail';
  return { profileState, verdict, account: null };
}

function isTrue(assertion: OfHolds, { states }: ProfileState): boolean {
  switch (assertion.claim) {
    case 'paused':
      return isHeld(states);
    case 'running':
      return !isHeld(states);
    case 'held-by':
      return isHeldBy(states, assertion.holder);
    case 'free-of':
      return !isHeldBy(states, assertion.holder);
  }
}

const isHeldBy = (states: ProfileState['states'], holder: string): boolean =>
  states.some(({ check }) => check.engaged && check.holds.some((hold) => hold.holder === holder));
