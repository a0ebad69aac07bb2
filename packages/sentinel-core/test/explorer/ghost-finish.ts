/**
 * What an operation claims when it ends, against what is in force [5].
 */
import { commit, type Ghost, hasBit, type Notes, type Step, window } from './ghost.ts';
import { anonymous, asideIn, factsOf, isAlike, standing } from './reading.ts';
import { answerOf, type Ending } from './tally.ts';

export function finish(ghost: Ghost, step: Step, ending: Ending, notes: Notes): void {
  const { actor } = step;
  const { armed, lifted, why, threw } = answerOf(ending);
  if (threw !== undefined && actor.role !== 'foreign') {
    notes.push({ breaks: 'THREW', text: `an errno flew out of ${actor.kind}: ${threw}` });
  }
  if (actor.arm !== undefined && armed === true) finishArm(ghost, step, ending, notes);
  if (actor.lift !== undefined && lifted === true) finishLift(ghost, step, ending, notes);
  const fails = (actor.arm !== undefined || actor.lift !== undefined) && !armed && !lifted;
  if (fails && hasBit(ghost.committed, actor.index)) {
    window(notes, `committed, but reported ${threw ?? why}`);
  }
}

function finishArm(ghost: Ghost, { actor, after }: Step, ending: Ending, notes: Notes): void {
  const { degraded, id } = answerOf(ending);
  if (degraded !== 'empty' && degraded !== 'folder') {
    if (!hasBit(ghost.committed, actor.index)) {
      notes.push({ breaks: 'CLAIM', text: 'armed without a commit' });
    }
    return;
  }
  const text = anonymous((id ?? '').slice('anon-'.length));
  const there = [...standing(after), ...asideIn(after).flatMap(({ holds }) => holds)].filter(
    (other) => other === text,
  );
  // It was seen; what somebody foreign, the clock or a lift did since then is not its claim.
  const since = ghost.lastChange === 'foreign' || ghost.timedOut !== null;
  if (there.length === 0 && !since && !ghost.liftedEmpty.includes(text)) {
    notes.push({
      breaks: 'CLAIM',
      text: `armed by an empty ${degraded === 'empty' ? 'file' : 'folder'} that is not there`,
    });
  }
  ghost.inForce = [...ghost.inForce, ...there];
  commit(ghost, actor);
}

function finishLift(
  ghost: Ghost,
  { actor, anythingFails }: Step,
  ending: Ending,
  notes: Notes,
): void {
  const { assisted, holds = [] } = answerOf(ending);
  const { [actor.index]: _, ...taken } = ghost.taken;
  ghost.taken = taken;
  // Everyone's lift of what could not be read says that it was lifted, and not what it was.
  if (anythingFails && holds.length > 0 && holds.every(({ id }) => id.startsWith('anon-'))) return;
  // Where empty files are alike, one that stands may be another than the one that was lifted.
  const stillInForce = holds.some(
    ({ id }) => !isAlike(id) && ghost.inForce.some((text) => factsOf(text).id === id),
  );
  if (assisted === true ? stillInForce : !hasBit(ghost.committed, actor.index)) {
    notes.push({ breaks: 'CLAIM', text: 'lifted without a commit' });
  }
}
