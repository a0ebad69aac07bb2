/**
 * Which steps need not be interleaved with others: they are taken at once and alone.
 *
 * Such a step must commute with everything that others may do before it: the same answer, the same
 * world and the same specification in either order. And a kill before it must be no different from a
 * kill after it, so a step is never taken alone that others, or a recovery, could see. Each rule says
 * why it holds. `plain` explorations use none of them and must come to the same verdicts.
 */
import { hasBit } from './ghost.ts';
import { inodeOf, parentOf, type Request, type World } from './posix-world.ts';
import { isDraft, STAGING, TENURE } from './protocol.ts';
import { holdsNow } from './reading.ts';
import type { Point } from './replay.ts';
import { isMadeBy } from './replay-disk.ts';

export interface Situation {
  readonly world: World;
  readonly points: readonly Point[];
  /** Actors whose next call may have resolved a folder that was moved since, one bit each. */
  readonly stranded: number;
  readonly linksRefused: boolean;
}

/** The actor whose next step is taken alone; -1: all must be tried. */
export function aloneIn(situation: Situation): number {
  const { points, stranded } = situation;
  return points.findIndex(({ request, actor, begun }, index) => {
    if (request === null || hasBit(stranded, index)) return false;
    // Nobody looks at a foreigner's own draft; everything else that a foreigner does is seen.
    if (actor.role === 'foreign') return request[0] === 'put';
    // A check is judged by what was in force when it began, so when it begins is no private matter.
    if (actor.role === 'check' && !begun) return false;
    return commutes(points[index]!, request, situation);
  });
}

function commutes(point: Point, request: Request, situation: Situation): boolean {
  const { world, points } = situation;
  const others = points.filter((other) => other !== point && other.request !== null);
  switch (request[0]) {
    case 'stale':
      return true; // Either answer is possible in any world.
    case 'now':
      return !ticksAhead(others);
    case 'read':
      return isSettled(inodeOf(request[1]), situation, others);
    case 'write':
      return isUnread(inodeOf(request[1]), world);
    default:
      return (
        isPrivate(request, point, others) ||
        isInVain(request, world) ||
        (looksIntoTenure(request) && !others.some(({ actor }) => actor.role === 'library'))
      );
  }
}

const ticksAhead = (others: readonly Point[]): boolean =>
  others.some(({ request }) => request?.[0] === 'tick');

/**
 * Names made of its own token are nobody's but the maker's until they are linked or moved elsewhere,
 * unless somebody sweeps.
 */
function isPrivate([op, path]: Request, { actor }: Point, others: readonly Point[]): boolean {
  if (!['mkdir', 'rmdir', 'open', 'unlink'].includes(op) || !path.startsWith(STAGING)) return false;
  const own = isMadeBy(actor.id, path.slice(STAGING.length));
  return own && !others.some((other) => other.actor.sweeps);
}

/**
 * A call into a tenure that is gone fails, now and for ever: a tenure's folder is named after a token
 * that is used once, so it never comes back under that name.
 */
function isInVain([op, path, target]: Request, { names }: World): boolean {
  const inside = [path, target].find((end) => end.startsWith(`${TENURE}/`) && isDeep(end));
  if (inside !== undefined) return !(parentOf(inside) in names);
  const isTenure = parentOf(path) === TENURE && !(path in names);
  return isTenure && ['lstat', 'readdir', 'rmdir', 'unlink', 'rename'].includes(op);
}

const isDeep = (path: string): boolean => parentOf(path) !== TENURE;

/** With no other library operation left, nobody else changes anything inside the tenure. */
function looksIntoTenure([op, path, mode]: Request): boolean {
  if (path !== TENURE && !path.startsWith(`${TENURE}/`)) return false;
  return op === 'lstat' || op === 'readdir' || (op === 'open' && mode === 'r');
}

/** Drafts are read by nobody before they are named `ESTOP`, which their writer does later. */
function isUnread(ino: string, { names }: World): boolean {
  return Object.entries(names).every(
    ([path, other]) => other !== ino || isDraft(path) || path.startsWith(STAGING),
  );
}

/** Can nobody else change what is in this file before it is read? */
function isSettled(ino: string, situation: Situation, others: readonly Point[]): boolean {
  const { world, linksRefused } = situation;
  for (const { actor, request } of others) {
    if (actor.writesInPlace) {
      // Once it has opened a file, that is the one it writes into.
      if (request?.[0] !== 'write' || inodeOf(request[1]) === ino) return false;
    }
    // Without links the library itself creates the sentinel in place.
    if (linksRefused && actor.role === 'library') return false;
    // An arm by blunter means cuts an expired file to an empty one; never a file that holds.
    if (actor.arm !== undefined && (!holdsNow(world, ino) || ticksAhead(others))) return false;
  }
  return true;
}
