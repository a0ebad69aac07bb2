/**
 * The names on disk, and what each name inside a tenure means.
 * `tenure.ts` makes and removes the folders; `settle.ts` handles the names that an old owner left.
 *
 *   ESTOP                          the sentinel
 *   .ESTOP.txn/<token>/            the tenure: the owner of this folder may change the sentinel
 *     new:<token>:<n>              a draft: a body being written
 *     undone:<token>:<n>           a draft whose commit was prevented
 *     prev:<token>:<n>:<tag>       a pin: a hard link to the file that this draft displaces, as seen
 *     lift:<token>:<tag>           a claim by a lift: gone iff it is still the file that was seen
 *     claimed:<token>              a claim by a retirement: gone unless it is active
 *   .ESTOP.stage-<token>           a tenure being prepared, or a body written without one
 *   .ESTOP.odd-<token>             a non-empty folder that was found in the place of the sentinel
 *
 * A claim is a sentinel that was renamed into the tenure.
 *
 * INVARIANT: every name inside a tenure carries its maker's token. A system call of a robbed owner
 * that had already resolved the folder still lands there after the takeover (a kernel resolves the
 * path first and acts later). It must find nothing of the new owner's under its names.
 */
import type { Sentinel } from './inspect.ts';
import { tagOf } from './inspect.ts';

/** Name of the sentinel in a scope's folder. */
export const SENTINEL = 'ESTOP';
/** Name of the folder that contains the tenure. */
export const TENURE = '.ESTOP.txn';
/** Prefix of staging: tenures in preparation, and bodies written without a tenure. */
export const STAGING = '.ESTOP.stage-';
/** Prefix of non-empty folders that were found in the place of the sentinel. */
export const ODD = '.ESTOP.odd-';

export const join = (dir: string, name: string): string => (dir === '' ? name : `${dir}/${name}`);

/**
 * A path split into the scope's folder, the folders of this library below it, and the last name.
 */
export interface BelowScope {
  readonly scope: string;
  readonly folders: readonly string[];
  readonly name: string;
}

// Only the first of our folders counts, and at most one folder below it. Every user who may write
// in the scope can name what comes after it, also like one of our folders.
const BELOW = /^(?:(.*?)\/)?(\.ESTOP\.(?:txn|stage-[^/]*))\/(?:([^/]+)\/)?([^/]+)$/s;

/**
 * The parts of a path below a scope. null: the path is the scope's folder or an entry directly in
 * it.
 */
export function belowScope(path: string): BelowScope | null {
  // Fast path: most paths are not below a tenure, and every check calls this.
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

/** Name of a draft whose commit was prevented, until the pin that belongs to it is removed. */
export const undoneName = (draft: string): string => `undone:${draft.slice('new:'.length)}`;

export const isUndone = (name: string): boolean => name.startsWith('undone:');
export const draftOfUndone = (name: string): string => `new:${name.slice('undone:'.length)}`;

/** The name that a settler gives a claim, so that no late call of the claim's maker finds it. */
export const renamedClaim = (claim: string, token: string): string =>
  isRemoval(claim) ? `lift:${token}:${seenByRemoval(claim)}` : `claimed:${token}`;

export const isClaim = (name: string): boolean => name.startsWith('claimed:') || isRemoval(name);
export const isRemoval = (name: string): boolean => name.startsWith('lift:');
export const isPin = (name: string): boolean => name.startsWith('prev:');
export const isDraft = (name: string): boolean => name.startsWith('new:');
export const mayHold = (name: string): boolean => isClaim(name) || isPin(name);

/** The draft whose commit displaced the file that this pin links to. */
export const newOfPin = (pin: string): string => `new:${pin.split(':').slice(1, 3).join(':')}`;

/** The tag of the sentinel as the lift saw it before it took it out. */
export const seenByRemoval = (claim: string): string => claim.split(':')[2] ?? '';

/** The tag of the sentinel as it was seen when the pin was made. */
export const seenByPin = (pin: string): string => pin.split(':')[3] ?? '';

/**
 * Whether the file under this name inside a tenure still holds.
 *
 * A retirement's claim holds if it is active. A lift's claim was meant to go, so it holds only if
 * it is not the file that the lift had seen. A pin whose draft is gone was displaced by a commit;
 * it holds only if it has changed since it was seen, because then somebody wrote into it during the
 * commit.
 */
export function standsAside(name: string, found: Sentinel, names: readonly string[]): boolean {
  if (found.state !== 'active') return false;
  if (name.startsWith('claimed:')) return true;
  if (isRemoval(name)) return seenByRemoval(name) !== tagOf(found);
  if (!isPin(name) || isUncommitted(name, names)) return false;
  return seenByPin(name) !== tagOf(found) && namesItsInode(name, found);
}

/** The pin's draft still exists, or its commit was prevented. */
function isUncommitted(pin: string, names: readonly string[]): boolean {
  const draft = newOfPin(pin);
  return names.includes(draft) || names.includes(undoneName(draft));
}

/**
 * Whether a pin links to the inode in its tag. A maker commits only after it compared the two. So a
 * pin of another inode is a robbed owner's call that landed late, and nothing was displaced for it.
 */
const namesItsInode = (pin: string, found: Sentinel): boolean =>
  found.ino === '?' || seenByPin(pin).startsWith(`${found.ino}~`);
