/**
 * Acquires and releases the tenure: the right to change a scope's sentinel.
 *
 * The idea is fencing by containment. Every change that this library makes to `ESTOP` is a rename
 * or a link whose other end lies inside `.ESTOP.txn/<token>/`, a folder that exists only while its
 * owner holds the tenure. A takeover is one rename of that folder. From then on every step that the
 * old owner (the *robbed* owner) begins fails with ENOENT. So safety never depends on guessing
 * whether an owner is dead; only speed does.
 *
 * `settle.ts` handles what an old owner left in the folder.
 */
import { codeOf, failureOf, meansAbsent, meansTaken, orNull } from '../files/errno.ts';
import { join, STAGING, TENURE } from './names.ts';
import type { DiskPort } from './port.ts';
import type { Patience } from './results.ts';
import { settle } from './settle.ts';
import { type Tenure, TenureLost } from './tenure-entries.ts';

/** The tenure, or why there is none. */
export type AcquireResult =
  | { readonly tenure: Tenure }
  /**
   * `busy`: another owner has it. `robbed`: we had it and lost it to a takeover. Else: the errno
   * why no folder can be made here.
   */
  | { readonly none: 'busy' | 'robbed' | (string & {}) };

export interface AcquireOptions extends Pick<Patience, 'tries' | 'waitMs'> {
  /**
   * Take it over on the last try, from any owner. This is always safe, and a stop never waits long.
   */
  readonly force?: boolean;
}

/**
 * Acquires the tenure of a scope, or takes it over from a stale owner and settles what that owner
 * left. Throws the errno of a failed settlement.
 */
export function acquire(disk: DiskPort, scope: string, options: AcquireOptions): AcquireResult {
  const { tries, force = false } = options;
  const turn = waitForTurn(options);
  const token = disk.token();
  const staging = join(scope, STAGING + token);
  const parent = join(scope, TENURE);
  const tenure: Tenure = { token, scope, dir: join(parent, token), setAside: [] };

  let blocked = stage(disk, staging, token);
  let refused = '';
  let last = false;
  for (let attempt = 0; !last; attempt++) {
    // Waiting helps against other owners. It does not help if the disk or the folder refuses.
    const enough = attempt >= tries - 1;
    last = blocked !== '' ? enough : enough && turn.isOver();
    if (blocked === '') {
      const code = failureOf(() => disk.rename(staging, parent));
      if (code === '') return { tenure };
      refused = code;
      if (code === 'ENOENT') {
        // Our staging was swept as garbage, or the scope itself is gone.
        blocked = stage(disk, staging, token);
        const scopeGone = () => orNull(() => disk.lstat(scope === '' ? '.' : scope)) === null;
        if (blocked === '' && enough && scopeGone()) blocked = 'ENOENT';
        continue;
      }
      if (code === 'ENOTDIR') {
        // Something that is not a folder is in the place of the tenure.
        if (failureOf(() => disk.unlink(parent)) !== '') disk.pause(attempt);
        continue;
      }
      if (!meansTaken(code) && code !== 'EPERM') {
        unstage(disk, staging, token);
        return { none: code };
      }
    }
    let owners: string[];
    try {
      owners = disk.readdir(parent);
    } catch (error) {
      const code = codeOf(error);
      if (blocked !== '') break;
      // If it is gone, it can be acquired at once. If it cannot be listed, trying at once does not
      // help.
      if (!meansAbsent(code)) disk.pause(attempt);
      continue;
    }
    const [owner] = owners;
    if (owner === undefined) {
      // Nobody owns it. If no folder can be made (disk full), removing this one frees its space. If
      // we may not replace it (another user's, in a sticky folder), no tenure can be acquired: two
      // owners inside one folder would not exclude each other.
      if (blocked === '' && refused === 'EPERM' && enough) blocked = refused;
      if (blocked !== '' && failureOf(() => disk.rmdir(parent)) === '') break;
      continue;
    }
    last = blocked !== '' ? enough : enough && turn.isOver(owner);
    // A takeover needs no new folder, so a full disk does not prevent it.
    if (disk.stale(join(parent, owner), owner, attempt) || (force && last)) {
      const code = failureOf(() => disk.rename(join(parent, owner), tenure.dir));
      if (code !== '') {
        if (blocked === '' && code !== 'ENOENT' && !meansTaken(code)) blocked = code;
        continue;
      }
      unstage(disk, staging, token);
      try {
        settle(disk, tenure);
      } catch (error) {
        // Robbed meanwhile. Or the owner's entry was a file, which owns nothing and would block for
        // ever.
        failureOf(() => disk.unlink(tenure.dir));
        if (error instanceof TenureLost) return { none: 'robbed' };
        throw error;
      }
      return { tenure };
    }
    disk.pause(attempt);
  }
  unstage(disk, staging, token);
  return { none: blocked === '' ? 'busy' : blocked };
}

/** Factor: the maximum wait in a queue that moves, in multiples of the patience with one owner. */
const MOVING = 5;

/**
 * Decides how long to wait: until one owner has kept the tenure for `waitMs`. So the operation
 * waits through a rush of others, each of which takes milliseconds, but not for an owner that has
 * stopped.
 */
function waitForTurn({ waitMs }: { readonly waitMs: number }) {
  const clock = () => (waitMs > 0 ? performance.now() : 0);
  const began = clock();
  let present = '';
  let since = began;
  return {
    isOver(owner = present): boolean {
      const now = clock();
      if (owner !== present) {
        present = owner;
        since = now;
      }
      return now - since >= waitMs || now - began >= MOVING * waitMs;
    },
  };
}

/**
 * Releases the tenure. It settles late calls first; otherwise nobody would before the next
 * operation.
 */
export function release(disk: DiskPort, tenure: Tenure): void {
  for (let round = 0; round < 3; round++) {
    const code = failureOf(() => disk.rmdir(tenure.dir));
    if (!meansTaken(code)) break;
    try {
      settle(disk, tenure);
    } catch (error) {
      if (!(error instanceof TenureLost)) codeOf(error);
      break;
    }
  }
  failureOf(() => disk.rmdir(join(tenure.scope, TENURE)));
}

/**
 * Runs one operation under a tenure. Runs it again if the tenure was taken over or if it returns
 * null. `without` answers if no tenure can be acquired.
 */
export function withTenure<R>(
  disk: DiskPort,
  scope: string,
  patience: AcquireOptions & Pick<Patience, 'rounds'>,
  operation: (tenure: Tenure) => R | null,
  without: (why: string) => R | null,
): R | null {
  for (let round = 0; round < patience.rounds; round++) {
    const acquired = tryAcquire(disk, scope, patience);
    if ('none' in acquired) {
      const { none } = acquired;
      if (none === 'busy' && patience.waitMs > 0) return null;
      if (none === 'busy' || none === 'robbed') continue;
      const answer = without(none);
      if (answer !== null) return answer;
      continue;
    }
    let answer: R | null;
    try {
      answer = operation(acquired.tenure);
    } catch (error) {
      if (error instanceof TenureLost) continue;
      const code = codeOf(error);
      release(disk, acquired.tenure);
      return without(code);
    }
    release(disk, acquired.tenure);
    if (answer !== null) return answer;
  }
  return null;
}

/** Returns a failure while a dead owner's tenure is settled as a value. */
function tryAcquire(disk: DiskPort, scope: string, options: AcquireOptions): AcquireResult {
  try {
    return acquire(disk, scope, options);
  } catch (error) {
    return { none: codeOf(error) };
  }
}

/**
 * Prepares `<staging>/<token>`. Returns '' if it exists or was swept in the meantime; the rename
 * then finds that out.
 */
function stage(disk: DiskPort, staging: string, token: string): string {
  const ours = (code: string) => (code === 'EEXIST' || code === 'ENOENT' ? '' : code);
  const outer = ours(failureOf(() => disk.mkdir(staging)));
  return outer !== '' ? outer : ours(failureOf(() => disk.mkdir(join(staging, token))));
}

function unstage(disk: DiskPort, staging: string, token: string): void {
  failureOf(() => disk.rmdir(join(staging, token)));
  failureOf(() => disk.rmdir(staging));
}
