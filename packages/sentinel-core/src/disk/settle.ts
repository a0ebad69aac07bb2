/**
 * Finishes or gives back what lies in a tenure: after a takeover, and before a release.
 * Who may do so, and when, is `tenure.ts`.
 */
import { codeOf, couldNotLook, failureOf, orNull, refusesLinks, required } from './errno.ts';
import { inspect, tagOf } from './inspect.ts';
import {
  draftOfUndone,
  isClaim,
  isDraft,
  isPin,
  isRemoval,
  isUndone,
  join,
  mayHold,
  newOfPin,
  renamedClaim,
  SENTINEL,
  seenByPin,
  seenByRemoval,
  standsAside,
  undoneName,
} from './names.ts';
import type { DiskPort, Handle } from './port.ts';
import { rewrite, union } from './rewrite.ts';
import { discard, discardOwn, type Tenure, TenureLost } from './tenure-entries.ts';

/** In-place writers can change a claim while it is merged; then it is merged again, but not for ever. */
const MERGES = 4;
/** Each dead owner has at most one call that is still to land. */
const STOCKS = 4;
/** Serial numbers of names, apart from those that arm and lift use in the same tenure. */
const GIVE_BACK_SERIAL = 200;
const SETTLE_SERIAL = 300;

/** Puts right what the previous owner left. Throws `TenureLost` when we are robbed meanwhile. */
export function settle(disk: DiskPort, tenure: Tenure): void {
  const at = (name: string) => join(tenure.dir, name);
  const { pins, claims } = takeStock(disk, tenure);
  const names = [...pins, ...claims];

  // A claim of the very file that a commit displaced landed late, and is superseded by it; so is one of
  // a file that a lift has taken out since, which it had been given back to. INVARIANT 1: one that was
  // written in place since is not, and its pin does not even prove that anything was displaced: a
  // robbed owner's link of what still stood there can land after its draft was removed, and whoever
  // removed a draft can die before its pin. So where nothing stands, nothing displaced the claim.
  const nothingStands = claims.length > 0 && isAbsent(disk, join(tenure.scope, SENTINEL));
  const displaced = claims.length === 0 || nothingStands ? [] : displacedBy(disk, tenure, pins);
  if (claims.length > 1) displaced.push(...liftedBy(disk, tenure, claims));
  for (const name of claims) {
    const found = inspect(disk, at(name), disk.now());
    const stands = standsAside(name, found, names) && !displaced.includes(tagOf(found));
    if (stands) giveBack(disk, tenure, name);
    else discardOwn(disk, tenure, name);
  }

  let serial = SETTLE_SERIAL;
  for (const name of pins) {
    for (let merge = 0; merge < MERGES; merge++) {
      const found = inspect(disk, at(name), disk.now());
      // It goes on holding where it is, until somebody can look at it.
      if (couldNotLook(found.unreadable)) break;
      if (standsAside(name, found, names)) {
        serial += 10;
        const merged = rewrite(
          disk,
          tenure,
          (seen) =>
            seen.state === 'absent' ? { stop: true } : { keep: union(seen.kept, found.kept) },
          { serial },
        );
        // The disk is full: leave it. It goes on holding, and somebody else merges it.
        if (merged.kind === 'failed') break;
        // It is being written in place: merge that too.
        const written = () => tagOf(inspect(disk, at(name), disk.now())) !== tagOf(found);
        if (merged.kind === 'committed' && written()) continue;
      }
      failureOf(() => disk.unlink(at(name)));
      break;
    }
  }
}

interface Stock {
  /** Of commits: what they point at was displaced, unless it is not what their names say. */
  readonly pins: readonly string[];
  readonly claims: readonly string[];
}

/** What lies in the tenure. Throws `TenureLost`, and the errno of a draft that may still be committed. */
function takeStock(disk: DiskPort, tenure: Tenure): Stock {
  for (let round = 1; ; round++) {
    const left = orNull(() => disk.readdir(tenure.dir));
    if (left === null) throw new TenureLost();
    const undone = undoDrafts(disk, tenure, left);
    const taken = takeClaims(disk, tenure, left);
    // A name that went under us may have another by now: another settler's late call gave it one.
    if ((undone.missed || taken.missed) && round < STOCKS) continue;
    const pins: string[] = [];
    for (const name of left.filter(isPin)) {
      const draft = newOfPin(name);
      if (!undone.drafts.has(draft)) pins.push(name);
      else if (failsToGo(failureOf(() => disk.unlink(join(tenure.dir, name))))) {
        undone.drafts.delete(draft);
      }
    }
    for (const name of undone.drafts.values()) discard(disk, tenure, name);
    return { pins, claims: taken.claims };
  }
}

/**
 * INVARIANT 1: the bodies that the owner had prepared go first, before anything else is looked at: from
 * then on no late rename of its can commit. One that is gone already did commit, so what its pin points
 * at was displaced. One that did not is renamed until its pin is gone, or whoever settles after our
 * death would take that pin for a commit's.
 * One that cannot be renamed may still be committed by a late call: then nothing here is certain.
 * Answers the drafts that were prevented, and what they are called now. `missed`: one went under us.
 */
function undoDrafts(disk: DiskPort, tenure: Tenure, left: readonly string[]) {
  const drafts = new Map<string, string>();
  let missed = false;
  for (const name of left) {
    if (mayHold(name)) continue;
    if (isUndone(name)) drafts.set(draftOfUndone(name), name);
    else if (isDraft(name)) {
      const renamed = undoneName(name);
      const code = renameWithin(disk, tenure, name, renamed);
      if (code === 'ENOENT') missed = true;
      else required(code);
      if (code === '') drafts.set(name, renamed);
    } else discard(disk, tenure, name);
  }
  return { drafts, missed };
}

/**
 * INVARIANT 1: from here on a claim is ours alone. Its maker may have given it back already, and its
 * late unlink would take away what we are about to merge. `missed`: one went under us.
 */
function takeClaims(disk: DiskPort, tenure: Tenure, left: readonly string[]) {
  const claims: string[] = [];
  let missed = false;
  for (const name of left.filter(isClaim)) {
    const own = renamedClaim(name, disk.token());
    const code = renameWithin(disk, tenure, name, own);
    if (code === 'ENOENT') missed = true;
    else claims.push(code === '' ? own : name);
  }
  return { claims, missed };
}

const renameWithin = (disk: DiskPort, { dir }: Tenure, from: string, to: string): string =>
  failureOf(() => disk.rename(join(dir, from), join(dir, to)));

/** A live hold in a tenure: puts the SAME inode back, never over anything; merges where the name is taken. */
export function giveBack(disk: DiskPort, tenure: Tenure, name: string): void {
  const claim = join(tenure.dir, name);
  for (let merge = 0; merge < MERGES; merge++) {
    const returned = putBack(disk, claim, join(tenure.scope, SENTINEL));
    // Cannot write, now or at all: the claim stays in the tenure, and goes on holding.
    if (returned === 'stays') return;
    if (returned === 'taken') {
      // Somebody armed meanwhile: both stand. (A dead owner's own link of it: nothing to add.)
      const found = inspect(disk, claim, disk.now());
      // What could not be looked at cannot be merged. It stays in the tenure, and goes on holding.
      if (couldNotLook(found.unreadable)) return;
      const merged = rewrite<'gone' | 'same'>(
        disk,
        tenure,
        (seen) => {
          if (seen.state === 'absent') return { stop: 'gone' };
          const keep = union(seen.kept, found.kept);
          return keep.length === seen.kept.length ? { stop: 'same' } : { keep };
        },
        { serial: GIVE_BACK_SERIAL + merge * 10 },
      );
      if (merged.kind === 'stopped' && merged.stop === 'gone') continue;
      if (merged.kind === 'failed') return;
      // It is being written in place: merge that too.
      if (tagOf(inspect(disk, claim, disk.now())) !== tagOf(found)) continue;
    }
    disk.fsyncDir(tenure.scope);
    if (returned !== 'moved') discardOwn(disk, tenure, name);
    return;
  }
}

type Returned = 'linked' | 'copied' | 'moved' | 'taken' | 'stays';

function putBack(disk: DiskPort, claim: string, sentinel: string): Returned {
  const code = failureOf(() => disk.link(claim, sentinel));
  if (code === '') return 'linked';
  if (code === 'ENOENT') throw new TenureLost();
  if (code === 'EEXIST') return 'taken';
  return refusesLinks(code) ? putBackWithoutLink(disk, claim, sentinel) : 'stays';
}

/**
 * Where hard links are refused: a regular file is copied, exclusively; anything else, and what we
 * may not read, is moved back.
 */
function putBackWithoutLink(disk: DiskPort, claim: string, sentinel: string): Returned {
  let source: Handle | null = null;
  if (orNull(() => disk.lstat(claim))?.kind === 'file') {
    try {
      source = disk.open(claim, 'r');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') throw new TenureLost();
    }
  }
  if (source !== null) return copy(disk, source, sentinel);
  // A foreign file that appears in this very moment is replaced by a hold: it still holds, and is
  // documented. A folder cannot replace a file.
  if (orNull(() => disk.lstat(sentinel)) !== null) return 'taken';
  return failureOf(() => disk.rename(claim, sentinel)) === '' ? 'moved' : 'stays';
}

/** Closes `source`. What is no text becomes an empty file: it held without a deadline, and still does. */
function copy(disk: DiskPort, source: Handle, sentinel: string): Returned {
  const text = orNull(() => decode(disk.read(source))) ?? '';
  failureOf(() => disk.close(source));
  let target: Handle;
  try {
    target = disk.open(sentinel, 'wx');
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? 'taken' : 'stays';
  }
  const unwritten = failureOf(() => {
    disk.write(target, text);
    disk.fsync(target);
  });
  if (unwritten !== '') undoCopy(disk, target, sentinel);
  failureOf(() => disk.close(target));
  return unwritten === '' ? 'copied' : 'stays';
}

/** Half a body would be a hold of nobody's. Empty first, so that it holds whatever comes next. */
function undoCopy(disk: DiskPort, target: Handle, sentinel: string): void {
  failureOf(() => disk.truncate(target));
  const ino = orNull(() => disk.inoOf(target));
  if (orNull(() => disk.lstat(sentinel))?.ino === ino) failureOf(() => disk.unlink(sentinel));
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return '';
  }
}

const failsToGo = (code: string): boolean => code !== '' && code !== 'ENOENT';

const isAbsent = (disk: DiskPort, path: string): boolean => orNull(() => disk.lstat(path)) === null;

/** What a lift took out exactly as it had seen it. */
function liftedBy(disk: DiskPort, { dir }: Tenure, claims: readonly string[]): string[] {
  return claims.filter(isRemoval).flatMap((claim) => {
    const found = inspect(disk, join(dir, claim), disk.now());
    return found.state === 'active' && seenByRemoval(claim) === tagOf(found) ? [tagOf(found)] : [];
  });
}

/**
 * What commits displaced, as it was seen, by the pins that they left. INVARIANT 1: a pin counts only if
 * it points at the inode that its own name says. Any other is a robbed owner's link that landed late,
 * over what somebody else had put there: nothing was displaced for it.
 */
function displacedBy(disk: DiskPort, { dir }: Tenure, pins: readonly string[]): string[] {
  return pins.flatMap((pin) => {
    const ino = orNull(() => disk.lstat(join(dir, pin)))?.ino;
    return ino !== undefined && seenByPin(pin).startsWith(`${ino}~`) ? [seenByPin(pin)] : [];
  });
}
