/**
 * What a step of the library does to the specification: commits, and arming by blunter means.
 * Which holds a commit must and must not change is judged here; whether they then survive is judged
 * in every state, by `judge.ts`.
 */

import {
  commit,
  enforce,
  type Ghost,
  isLiftedBy,
  lifted,
  type Notes,
  release,
  type Step,
  tolerate,
  window,
} from './ghost.ts';
import { commitBody, undoesRemovals } from './ghost-commit.ts';
import { inodeOf } from './posix-world.ts';
import { isDraft, isRemoval, SENTINEL, STAGING, seenByRemoval } from './protocol.ts';
import { anonymous, factsOf, holdsIn, standing, tagAt } from './reading.ts';

export function libraryStep(ghost: Ghost, step: Step, notes: Notes): void {
  const { actor, request, result, before, after } = step;
  const [op, path, target] = request;
  if ('code' in result) {
    // A write that failed half way leaves a torn file, which holds.
    if (op === 'write' && actor.arm) tolerate(ghost, [anonymous(inodeOf(path))]);
    return;
  }
  const names = op === 'rename' || op === 'link';
  if (names && target === SENTINEL && isDraft(path)) commitBody(ghost, step, notes);
  else if (actor.lift && op === 'rename' && path === SENTINEL && isRemoval(target)) {
    commitRemoval(ghost, step);
  } else if (op === 'link' && target === SENTINEL && isRemoval(path)) {
    // What could not be looked at is given back. Nobody has been told that it was lifted.
    if (step.anythingFails) undoesRemovals(ghost, standing(after));
  } else if (actor.arm) {
    if (op === 'mkdir' && path === SENTINEL) {
      tolerate(ghost, [anonymous(after.names[SENTINEL]!)]);
    } else if (op === 'open' && path === SENTINEL && target === 'wx') {
      tolerate(ghost, [anonymous(after.names[SENTINEL]!)]);
    } else if (op === 'truncate') truncated(ghost, step, notes);
    else if (op === 'write' && before.names[SENTINEL] === inodeOf(path)) {
      release(ghost, standing(before));
      enforce(ghost, standing(after));
      commit(ghost, actor);
    } else if (op === 'link' && target === SENTINEL && path.startsWith(STAGING)) {
      enforce(ghost, standing(after));
      commit(ghost, actor);
    }
  }
}

/** A removal counts if what it took is what was seen; until it is reported it may be undone. */
function commitRemoval(ghost: Ghost, { actor, request, before }: Step): void {
  const ino = before.names[SENTINEL]!;
  if (seenByRemoval(request[2]) !== tagAt(before, ino)) return;
  const taken = holdsIn(before, ino).filter((text) => isLiftedBy(actor, factsOf(text)));
  lifted(ghost, taken);
  commit(ghost, actor);
  ghost.taken = { ...ghost.taken, [actor.index]: taken };
}

/** An expired file was cut to an empty one, which holds. */
function truncated(ghost: Ghost, { request, before }: Step, notes: Notes): void {
  const ino = inodeOf(request[1]);
  const empty = anonymous(ino);
  const was = holdsIn(before, ino).filter((text) => text !== empty);
  tolerate(ghost, [empty]);
  const overForeign = ghost.lastChange === 'foreign' && before.names[SENTINEL] === ino;
  if (!overForeign || !was.some((text) => ghost.inForce.includes(text))) return;
  window(notes, 'disk full: an in-place write met our truncation (held, without its text)');
  release(ghost, was);
  enforce(ghost, [empty]);
}
