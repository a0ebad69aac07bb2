/**
 * The specification, kept beside the files and per hold: which holds are in force after each step,
 * whatever the files say. Nothing but an arm, a lift that saw it, its deadline or a foreign write
 * changes whether a hold is in force [1].
 *
 * This file is the record and what ends an operation. The steps that change it are `ghost-foreign.ts`
 * (writers that know nothing of the protocol) and `ghost-library.ts`.
 */
import type { Actor } from './actor.ts';
import type { Request, Result, World } from './posix-world.ts';
import { DEFAULT_HOLDER, SENTINEL } from './protocol.ts';
import {
  asideIn,
  factsOf,
  type HoldFacts,
  type HoldText,
  isExpiredText,
  standing,
} from './reading.ts';
import type { Memory } from './replay.ts';

export interface Ghost {
  /** These must survive, whoever dies when. */
  inForce: readonly HoldText[];
  /** These may stand and need not: documented windows, and what has not been reported yet. */
  tolerated: readonly HoldText[];
  /** Actors that have committed, one bit each. */
  committed: number;
  /**
   * What a lift took out and has not reported yet, by actor. A late commit of somebody who had
   * looked before may bring it back.
   */
  taken: Readonly<Record<number, readonly HoldText[]>>;
  /** Empty holds that a lift saw and took, whoever may still be about to report them. */
  liftedEmpty: readonly HoldText[];
  /** What an arm committed as its own, by actor; null: its own was not in its body. */
  own: Readonly<Record<number, HoldText | null>>;
  /** The holds that time ended. */
  timedOut: readonly HoldText[] | null;
  /** Files that somebody foreign removed or replaced. */
  displaced: readonly string[];
  /** Who last changed what the sentinel is. `blunt`: an arm that had no tenure. */
  lastChange: 'foreign' | 'blunt' | 'library';
}

/** One step of one actor, seen from outside. */
export interface Step {
  readonly actor: Actor;
  readonly request: Request;
  readonly result: Result;
  readonly before: World;
  readonly after: World;
  readonly memory: Memory;
  /** The file system has no hard links. */
  readonly linksRefused: boolean;
  /** Any call may fail, looks included. */
  readonly anythingFails: boolean;
}

/** What the specification has to say of a step. */
export interface Note {
  /** `window`: documented, and counted; anything else breaks the promise of that name. */
  readonly breaks: string | 'window';
  readonly text: string;
}

export type Notes = Note[];
export const window = (notes: Notes, text: string) => void notes.push({ breaks: 'window', text });

export const initialGhost = (world: World): Ghost => ({
  inForce: [...standing(world), ...asideIn(world).flatMap(({ holds }) => holds)],
  tolerated: [],
  committed: 0,
  taken: {},
  liftedEmpty: [],
  own: {},
  timedOut: null,
  displaced: [],
  lastChange: 'library',
});

export const hasBit = (mask: number, index: number): boolean => ((mask >> index) & 1) === 1;
const without = (from: readonly HoldText[], gone: readonly HoldText[]): HoldText[] =>
  from.filter((text) => !gone.includes(text));

export function tolerate(ghost: Ghost, holds: readonly HoldText[]): void {
  ghost.tolerated = [...ghost.tolerated, ...holds];
}
export function enforce(ghost: Ghost, holds: readonly HoldText[]): void {
  ghost.inForce = [...ghost.inForce, ...holds];
}
export function release(ghost: Ghost, holds: readonly HoldText[]): void {
  ghost.inForce = without(ghost.inForce, holds);
}

export function commit(ghost: Ghost, { index }: Actor): void {
  ghost.committed |= 1 << index;
}

export function isLiftedBy({ lift }: Actor, hold: Pick<HoldFacts, 'id' | 'holder'>): boolean {
  if (lift === undefined) return false;
  if ('everyone' in lift) return true;
  if ('id' in lift) return hold.id === lift.id;
  return hold.holder === lift.holder || (lift.holder === DEFAULT_HOLDER && hold.holder === null);
}

/** A lift saw these, and they are gone. */
export function lifted(ghost: Ghost, holds: readonly HoldText[]): void {
  release(ghost, holds);
  const empty = holds.filter((text) => factsOf(text).id.startsWith('anon-'));
  if (empty.length > 0) ghost.liftedEmpty = [...ghost.liftedEmpty, ...empty];
}

export function tick(ghost: Ghost, after: World): void {
  ghost.timedOut = ghost.inForce.filter((text) => isExpiredText(text, after.now));
  release(ghost, ghost.timedOut);
}

const BLUNT: ReadonlySet<string> = new Set(['truncate', 'open', 'mkdir']);

/** Notes who changed what the sentinel is, its name or its content. */
export function noteChange(ghost: Ghost, { actor, request, before, after }: Step): void {
  const was = before.names[SENTINEL];
  const is = after.names[SENTINEL];
  if (was === is && (is === undefined || before.inodes[is] === after.inodes[is])) return;
  const blunt = BLUNT.has(request[0]);
  ghost.lastChange = actor.role === 'foreign' ? 'foreign' : blunt ? 'blunt' : 'library';
}

/** The same record, written the one way, so that equal ones are equal texts. */
export const canonical = (ghost: Ghost): Ghost => ({
  inForce: sorted(ghost.inForce),
  tolerated: sorted(ghost.tolerated),
  committed: ghost.committed,
  taken: ghost.taken,
  liftedEmpty: sorted(ghost.liftedEmpty),
  own: ghost.own,
  timedOut: ghost.timedOut,
  displaced: sorted(ghost.displaced),
  lastChange: ghost.lastChange,
});

/** Drops what only mattered to an actor's own next steps; `taken` of a dead lifter stays open. */
export function forgetActor(ghost: Ghost, index: number): Ghost {
  if (!hasBit(ghost.committed, index) && !(index in ghost.own)) return ghost;
  const { [index]: _, ...own } = ghost.own;
  return { ...ghost, committed: ghost.committed & ~(1 << index), own };
}

const sorted = (texts: readonly string[]): string[] => [...new Set(texts)].sort();
