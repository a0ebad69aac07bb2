/**
 * A new body takes the sentinel's name: the commit that changes what stands. It must name what was
 * looked at, must not displace what another library operation put there, must hold what its author
 * meant, and must say at its top level no less than its holds say.
 */
import {
  commit,
  enforce,
  type Ghost,
  hasBit,
  isLiftedBy,
  lifted,
  type Notes,
  release,
  type Step,
  tolerate,
  window,
} from './ghost.ts';
import { faultsOfOwn } from './ghost-inherit.ts';
import { baseOf, childrenOf, FOLDER, parentOf } from './posix-world.ts';
import { isClaim, isOwnSerial, isPin, newOfPin, SENTINEL, seenByPin, TENURE } from './protocol.ts';
import {
  anonymous,
  asideIn,
  doubtedIn,
  factsOf,
  type HoldFacts,
  type HoldText,
  holdsIn,
  isExpiredText,
  standing,
  tagAt,
  textsIn,
} from './reading.ts';
import { isMadeBy } from './replay-disk.ts';
import { topLevelFault } from './top-level.ts';

/** How what was displaced differs from what had been looked at. */
export type Race = 'unpinned' | 'name' | 'content' | null;

export function commitBody(ghost: Ghost, step: Step, notes: Notes): void {
  const { actor, request, before, after } = step;
  const serial = Number(baseOf(request[1]).split(':')[2]);
  const own = isOwnSerial(serial) && (actor.arm !== undefined || actor.lift !== undefined);
  const first = !hasBit(ghost.committed, actor.index);
  const ino = after.names[SENTINEL]!;
  const fault = topLevelFault(after.inodes[ino]!);
  if (fault !== null) notes.push({ breaks: 'COMPOSE', text: `the top level is laxer: ${fault}` });

  const written = textsIn(after, ino);
  const active = written.filter((text) => !isExpiredText(text, after.now));
  let race = request[0] === 'rename' ? raceOf(ghost, step, notes) : null;
  // Where something foreign stands by then, it is displaced as ever, whatever comes back beside it.
  const isGone = before.names[SENTINEL] === undefined;
  if (undoesRemovals(ghost, active) && race === 'name' && isGone) race = null;
  if (request[0] === 'rename' && race === null && !keepsDoubted(step, own, written)) {
    notes.push({
      breaks: 'DROPPED',
      text: "somebody else's hold that may not have expired is gone",
    });
  }

  if (own && actor.arm !== undefined) {
    const mine = written.find((text) => isMadeBy(actor.id, factsOf(text).id)) ?? null;
    // Later commits of one arm only add what slipped in, and its own may be lifted by then.
    if (mine === null && first)
      notes.push({ breaks: 'MINE', text: 'my own hold is not in my body' });
    if (mine !== null && race === null) notes.push(...faultsOfOwn(ghost, step, mine));
    const { holder } = actor.arm;
    if (first)
      release(
        ghost,
        ghost.inForce.filter((text) => factsOf(text).holder === holder),
      );
    if (mine !== null && active.includes(mine)) enforce(ghost, [mine]);
    ghost.own = { ...ghost.own, [actor.index]: mine };
  } else if (own && first) {
    lifted(ghost, liftedFrom(ghost, step, race));
  }
  if (!own || !first) mergeWritten(ghost, step, active);

  if (race === 'name') {
    const displaced = standing(before);
    window(
      notes,
      before.names[SENTINEL] === undefined
        ? 'an rm between the last look and the commit (what it removed stands again)'
        : 'a foreign rename between the last look and the commit (displaced; the scope stays held)',
    );
    tolerate(ghost, [...active, ...displaced, ...asideIn(after).flatMap(({ holds }) => holds)]);
    release(
      ghost,
      displaced.filter((text) => !active.includes(text)),
    );
  }
  if (race === 'content') {
    window(notes, 'an in-place write between the last look and the commit (merged)');
    tolerate(ghost, active);
  }
  if (own) commit(ghost, actor);
}

function raceOf(ghost: Ghost, step: Step, notes: Notes): Race {
  const { request, before, memory, linksRefused } = step;
  const draft = baseOf(request[1]);
  const ino = before.names[SENTINEL];
  const pin = childrenOf(before, parentOf(request[1]))
    .map(baseOf)
    .find((name) => isPin(name) && newOfPin(name) === draft);
  let race: Race = null;
  let pinned: string | null = null;
  if (pin === undefined) {
    const unlinkable = ino !== undefined && before.inodes[ino] === FOLDER;
    if (!linksRefused && !unlinkable) race = 'unpinned';
  } else {
    const tag = seenByPin(pin);
    pinned = tag.slice(0, tag.lastIndexOf('~'));
    if (ino !== pinned) race = 'name';
    else if (tagAt(before, ino) !== tag) race = 'content';
  }
  const byLibrary = ghost.lastChange === 'library';
  // A robbed owner's late removal: what it took must not come back, and that is judged exactly. If it
  // took something else than was pinned, somebody foreign had replaced that before.
  const isRemoved = race === 'name' && ino === undefined && byLibrary;
  const wasReplaced = isRemoved && tookAnother(before, pinned);
  if (isRemoved && !wasReplaced) race = null;
  if (race !== null && byLibrary && !wasReplaced) {
    const text = 'a body was replaced that another library operation had put there since the look';
    notes.push({ breaks: 'STALE', text });
  }
  if (race === 'unpinned' || (race !== null && memory.looked !== pinned)) {
    notes.push({ breaks: 'UNVERIFIED', text: 'a body was replaced that nobody had looked at' });
  }
  return race;
}

/** What has expired by a clock that may be wrong is ended by its own holder, or by a lift of it. */
function keepsDoubted(
  { actor, before }: Step,
  own: boolean,
  written: readonly HoldText[],
): boolean {
  const ino = before.names[SENTINEL];
  const doubted = ino === undefined ? [] : doubtedIn(before, ino);
  const ended = (hold: HoldFacts) =>
    own && (hold.holder === actor.arm?.holder || isLiftedBy(actor, hold));
  return doubted.every((text) => written.includes(text) || ended(factsOf(text)));
}

/** Do the claims in tenures hold another file than this one, and not this one? */
function tookAnother(world: Step['before'], pinned: string | null): boolean {
  const claims = childrenOf(world, TENURE)
    .flatMap((tenure) => childrenOf(world, tenure))
    .filter((path) => isClaim(baseOf(path)))
    .map((path) => world.names[path]);
  return claims.length > 0 && !claims.includes(pinned ?? '');
}

/** Brings back what a lift took out and has not reported, and says whether there was any. */
export function undoesRemovals(ghost: Ghost, active: readonly HoldText[]): boolean {
  let any = false;
  for (const [lifter, taken] of Object.entries(ghost.taken)) {
    const back = taken.filter((text) => active.includes(text) && !ghost.inForce.includes(text));
    if (back.length === 0) continue;
    any = true;
    enforce(ghost, back);
    ghost.committed &= ~(1 << Number(lifter));
  }
  return any;
}

function liftedFrom(ghost: Ghost, { actor, before }: Step, race: Race): HoldText[] {
  if (race !== 'content') {
    return standing(before).filter((text) => isLiftedBy(actor, factsOf(text)));
  }
  // The file was written into meanwhile: lifted is what the writer took away, too.
  return ghost.inForce.filter((text) => {
    const { id, holder } = factsOf(text);
    return isLiftedBy(actor, { id, holder: holder ?? '?' }) && !standing(before).includes(text);
  });
}

/** A writer's text took the place of its own empty file. */
function mergeWritten(ghost: Ghost, { after }: Step, active: readonly HoldText[]): void {
  for (const { ino, holds } of asideIn(after)) {
    const empty = anonymous(ino);
    if (!ghost.inForce.includes(empty) || active.includes(empty)) continue;
    if (!holdsIn(after, ino).every((text) => active.includes(text))) continue;
    release(ghost, [empty]);
    enforce(ghost, holds);
  }
}
