/**
 * What a foreign write does to the specification. It replaces everything that stands, an `rm` lifts
 * everything, and what a tenure has aside at that moment may come back; over an absent sentinel a
 * write only adds. Writing in place into a file that meanwhile is elsewhere is the intricate part.
 */
import { enforce, type Ghost, type Notes, release, type Step, tolerate, window } from './ghost.ts';
import { inodeOf } from './posix-world.ts';
import { SENTINEL } from './protocol.ts';
import { anonymous, asideIn, type HoldText, holdsIn, standing } from './reading.ts';

export function foreignStep(ghost: Ghost, step: Step, notes: Notes): void {
  const { request, result, after } = step;
  const [op, path, argument] = request;
  if ('code' in result) return;
  const atSentinel = path === SENTINEL;
  if (op === 'touch' && result.value === true) replaced(ghost, step, standing(after));
  else if (op === 'open' && argument === 'w') replaced(ghost, step, standing(after));
  else if (op === 'rename' && argument === SENTINEL) replaced(ghost, step, standing(after));
  else if (op === 'unlink' && atSentinel) replaced(ghost, step, []);
  else if (op === 'write') writtenInPlace(ghost, step, notes);
}

function replaced(ghost: Ghost, { before, after }: Step, by: readonly HoldText[]): void {
  const was = before.names[SENTINEL];
  const is = after.names[SENTINEL];
  if (was === undefined) {
    enforce(ghost, by);
    return;
  }
  tolerate(
    ghost,
    asideIn(after).flatMap(({ holds }) => holds),
  );
  ghost.inForce = by;
  const displaced = [...(was === is ? [] : [was]), ...asideIn(before).map(({ ino }) => ino)];
  ghost.displaced = [...ghost.displaced, ...displaced].filter((ino) => ino !== is);
}

/** The text of a writer that opened (and so emptied) a file some steps ago lands in it. */
function writtenInPlace(ghost: Ghost, { request, before, after }: Step, notes: Notes): void {
  const ino = inodeOf(request[1]);
  const empty = anonymous(ino);
  const was = holdsIn(before, ino);
  const now = holdsIn(after, ino);
  tolerate(ghost, was);
  if (before.names[SENTINEL] === ino) {
    release(ghost, was);
    enforce(ghost, now);
    return;
  }
  if (ghost.displaced.includes(ino)) {
    tolerate(ghost, now);
    window(notes, 'an in-place write landed in a file removed or replaced by somebody foreign');
    return;
  }
  const held = (world: Step['before']) => asideIn(world).some((aside) => aside.ino === ino);
  if (held(before)) {
    if (standing(before).some((text) => text === empty || was.includes(text))) {
      // A rewrite has already merged its empty file, which goes on holding.
      window(notes, 'an in-place write landed after the last look; its empty hold stands instead');
      release(ghost, was.includes(empty) ? [] : [...was, empty]);
      tolerate(ghost, [...now, empty]);
    } else if (was.every((text) => ghost.inForce.includes(text))) {
      release(ghost, was);
      enforce(ghost, now);
    } else {
      window(notes, 'an in-place write landed in what a lift had taken');
      tolerate(ghost, now);
    }
  } else if (held(after)) {
    window(notes, 'an in-place write landed in what a lift had taken');
    tolerate(ghost, now);
  } else {
    window(notes, 'an in-place write landed in a displaced file');
  }
}
