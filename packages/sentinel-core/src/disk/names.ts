/**
 * The names on disk, and what each name inside a tenure means.
 *
 *   ESTOP                          the sentinel
 *   .ESTOP.txn/<token>/            the tenure: whoever's folder this is may change the sentinel
 *     new:<token>:<n>              a body being written
 *     prev:<token>:<n>:<tag>       a pin (hard link) of what that body displaces, as it was seen
 *     lift:<token>:<tag>           a sentinel taken out by a lift: gone iff it is still what was seen
 *     claimed:<token>              a sentinel taken out by a retirement: gone unless it is live
 *   .ESTOP.stage-<token>           a tenure being prepared, or a body written without one
 *   .ESTOP.odd-<token>             a non-empty folder that stood in the sentinel's place
 *
 * INVARIANT: every name inside a tenure carries its maker's token. A system call of a robbed owner
 * that had already walked into the folder still lands there after the takeover (a kernel resolves
 * the path first and acts later); it must find nothing of the new owner's under its names.
 */
import type { Sentinel } from './inspect.ts';
import { tagOf } from './inspect.ts';

export const SENTINEL = 'ESTOP';
export const TENURE = '.ESTOP.txn';
export const STAGING = '.ESTOP.stage-';
export const ODD = '.ESTOP.odd-';

export const join = (dir: string, name: string): string => (dir === '' ? name : `${dir}/${name}`);

/** The folders between a scope and the last name of a path of ours, and that name. */
export interface BelowScope {
  readonly scope: string;
  readonly folders: readonly string[];
  readonly name: string;
}

// The first of our folders counts, and at most one below it: what comes after it is named by whoever
// may write in the scope, also like one of our folders.
const BELOW = /^(?:(.*?)\/)?(\.ESTOP\.(?:txn|stage-[^/]*))\/(?:([^/]+)\/)?([^/]+)$/s;

/** null: it lies in the scope's folder itself, or is that folder. */
export function belowScope(path: string): BelowScope | null {
  // Most paths do, and every check asks.
  if (!path.includes(TENURE_OR_STAGING)) return null;
  const [, scope = path.startsWith('/') ? '' : '.', first, second, name] = BELOW.exec(path) ?? [];
  if (first === undefined || name === undefined) return null;
  return { scope, folders: second === undefined ? [first] : [first, second], name };
}

const TENURE_OR_STAGING = '.ESTOP.';

export const claimName = (token: string): string => `claimed:${token}`;
export const liftName = (token: string, seen: Sentinel): string => `lift:${token}:${tagOf(seen)}`;
export const newName = (token: string, n: number): string => `new:${token}:${n}`;
export const pinName = (token: string, n: number, seen: Sentinel): string =>
  `prev:${token}:${n}:${tagOf(seen)}`;

/** What a draft is called once its commit was prevented, until the pin that went with it is gone. */
export const undoneName = (draft: string): string => `undone:${draft.slice('new:'.length)}`;

export const isUndone = (name: string): boolean => name.startsWith('undone:');
export const draftOfUndone = (name: string): string => `new:${name.slice('undone:'.length)}`;

/** The same claim under a name that no late call of its maker knows. */
export const renamedClaim = (claim: string, token: string): string =>
  isRemoval(claim) ? `lift:${token}:${seenByRemoval(claim)}` : `claimed:${token}`;

export const isClaim = (name: string): boolean => name.startsWith('claimed:') || isRemoval(name);
export const isRemoval = (name: string): boolean => name.startsWith('lift:');
export const isPin = (name: string): boolean => name.startsWith('prev:');
export const isDraft = (name: string): boolean => name.startsWith('new:');
export const mayHold = (name: string): boolean => isClaim(name) || isPin(name);

/** The `new:` whose commit displaced what this pin points at. */
export const newOfPin = (pin: string): string => `new:${pin.split(':').slice(1, 3).join(':')}`;

/** What was seen at the sentinel when this removal took it out. */
export const seenByRemoval = (claim: string): string => claim.split(':')[2] ?? '';

/** What was seen at the sentinel when this pin was made. */
export const seenByPin = (pin: string): string => pin.split(':')[3] ?? '';

/**
 * Does what lies under this name inside a tenure still hold?
 * A retirement's claim holds if it is live. A lift's claim was meant to go, unless it is not what
 * the lifter had seen. A pin whose `new:` is gone was displaced by a commit; if it has changed since
 * it was seen, somebody wrote into it under us, and what they wrote holds.
 */
export function standsAside(name: string, found: Sentinel, names: readonly string[]): boolean {
  if (found.state !== 'active') return false;
  if (name.startsWith('claimed:')) return true;
  if (isRemoval(name)) return seenByRemoval(name) !== tagOf(found);
  if (!isPin(name) || isUncommitted(name, names)) return false;
  return seenByPin(name) !== tagOf(found) && namesItsInode(name, found);
}

/** Its draft is there, or was prevented from being committed. */
function isUncommitted(pin: string, names: readonly string[]): boolean {
  const draft = newOfPin(pin);
  return names.includes(draft) || names.includes(undoneName(draft));
}

/**
 * A maker commits only after comparing the inode. So a pin of another inode than its tag names is a
 * call of a robbed owner that landed late: nothing was displaced for it.
 */
const namesItsInode = (pin: string, found: Sentinel): boolean =>
  found.ino === '?' || seenByPin(pin).startsWith(`${found.ino}~`);
