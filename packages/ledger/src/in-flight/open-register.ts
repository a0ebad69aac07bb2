/**
 * The register as its gateway uses it: begins work, keeps its claims while the work runs, and adopts the
 * work that workers of a killed predecessor still do.
 * Taking and dropping claims is `fence.ts`; other readers use `read-register.ts`.
 */
import { failureOf, fateOf, formatInstant, here, markOf } from '@fleet-estop/sentinel-core';
import { dropClaim, isMissing, renameClaim, standsAs, takeClaim } from './fence.ts';
import { judgeAt } from './judge.ts';
import { type ClaimName, digestOf, newOwner } from './names.ts';
import { ownFolder } from './own-folder.ts';
import { instantOf, type ProgressMark, progressMark, progressOf } from './progress.ts';
import { readRegister, type WorkRecord } from './read-register.ts';
import type { Claim, PredecessorWork, Register, RegisterOptions } from './register.ts';
import { settle } from './settle.ts';
import type { WorkText } from './texts.ts';
import { processId, refuseInvalid } from './work-to-begin.ts';

interface HeldClaim {
  readonly digest: string;
  readonly work: WorkText & { readonly door: string; readonly id: string };
  name: ClaimName;
  recorded: boolean;
  /** Another owner has begun the same work. */
  lost: boolean;
  readonly adopted: boolean;
  readonly progress: ProgressMark;
  readonly onLost: Set<() => void>;
}

/**
 * Opens the register of a home, and settles what gone predecessors left in it. Writes nothing of its own
 * before the first `begin`. Does not throw if the disk refuses: work then continues without a record.
 */
export function openRegister(home: string, options: RegisterOptions = {}): Register {
  const { instance, software, leaseMs = 15_000, alone = false, now = Date.now } = options;
  const clocks = { now, clock: options.clock ?? (() => performance.now()) };
  const beatMs = leaseMs / 3;
  const owner = newOwner();
  const us = markOf() ?? { pid: process.pid, birth: '', place: here() };
  const own = ownFolder(
    home,
    owner,
    {
      ...us,
      since: formatInstant(now()),
      instance: instance ?? null,
      software: software ?? null,
      leaseMs,
    },
    beatMs,
  );
  const held = new Map<string, HeldClaim>();
  /** Claims whose work has ended but whose entry could not be removed. */
  const leftovers = new Set<HeldClaim>();
  let number = 0;
  let strays = 0;
  let closed = false;

  const judge = () => judgeAt(home, now(), alone ? owner : null);
  const nameFor = ({ pid, birth }: Pick<ClaimName, 'pid' | 'birth'>): ClaimName => ({
    owner,
    number: ++number,
    pid,
    birth,
  });

  /** Throws an errno. */
  function keepLease(): void {
    if (own.keep(now()) === 'kept') return;
    // The folder was lost: check the claims at the next heartbeat.
    for (const one of held.values()) one.recorded = false;
  }

  function record(one: HeldClaim): string {
    const attempt = () => failureOf(keepLease) || takeClaim(home, own, one, judge);
    let why = attempt();
    if (why === 'ENOENT') {
      own.doubt();
      why = attempt();
    }
    one.recorded = why === '';
    if (one.recorded) one.progress.written();
    return why;
  }

  /** false: another owner has the claim, or somebody removed it. */
  function release(one: HeldClaim): boolean {
    held.delete(one.digest);
    const code = dropClaim(home, one.digest, one.name);
    if (one.recorded && code !== '' && code !== 'ENOENT') leftovers.add(one);
    leaveWhenClosed();
    return one.recorded ? code !== 'ENOENT' : !one.lost;
  }

  function leaveWhenClosed(): void {
    if (closed && held.size + leftovers.size === 0) own.remove();
  }

  function say(one: HeldClaim, why: string): void {
    const { door, id } = one.work;
    // An error in the author's function becomes an uncaught error, and does not affect the work.
    queueMicrotask(() => options.onUnrecorded?.({ door, id, why }));
  }

  /** Somebody may have removed a record, and another owner may have begun the same work since. */
  function doubtRemoved(): void {
    for (const one of held.values()) {
      if (one.recorded && isMissing(home, one.digest, one.name)) one.recorded = false;
    }
  }

  function recordAgain(): void {
    for (const one of held.values()) {
      if (one.recorded || one.lost) continue;
      one.recorded = standsAs(home, one.digest, one.name);
      if (one.recorded) continue;
      one.name = nameFor(one.name);
      if (record(one) !== 'stands') continue;
      one.lost = true;
      say(one, 'stands');
      for (const listener of one.onLost) queueMicrotask(listener);
    }
  }

  function adoptAs(from: ClaimName, digest: string): ClaimName | null {
    if (held.has(digest) || failureOf(keepLease) !== '') return null;
    return nameFor(from);
  }

  function look(): PredecessorWork {
    const ours = (digest: string) => held.get(digest)?.recorded === true;
    const isLeft = (name: ClaimName) => name.owner === owner;
    const { cutOff, adopted, unproven } = settle(home, { ours, isLeft, adoptAs }, judge());
    strays = unproven;
    for (const { digest, name, work } of adopted) {
      const { door, id } = work;
      const known = { ...work, door: door ?? '', id: id ?? '' };
      const markedMs = instantOf(work.progressAt) ?? now();
      const progress = progressMark(home, clocks, markedMs);
      const state = { recorded: true, lost: false, adopted: true, onLost: new Set<() => void>() };
      held.set(digest, { digest, name, work: known, progress, ...state });
    }
    return { cutOff, adopted: adopted.map(({ work }) => work) };
  }

  function beat(): void {
    for (const one of held.values()) if (one.adopted && isOver(one)) release(one);
    for (const one of leftovers) {
      const code = dropClaim(home, one.digest, one.name);
      if (code === '' || code === 'ENOENT') leftovers.delete(one);
    }
    if (held.size > 0) failureOf(keepLease);
    doubtRemoved();
    recordAgain();
    for (const { recorded, progress, digest, name } of held.values()) {
      if (recorded) progress.correct(digest, name);
    }
    const found = look();
    if (found.cutOff.length + found.adopted.length > 0) options.onFound?.(found);
  }

  /** true if its worker process is gone. Work in this process ends only by `end`. */
  const isOver = ({ name }: HeldClaim): boolean =>
    name.pid !== us.pid && fateOf({ ...us, pid: name.pid, birth: name.birth }) === 'gone';

  const heldRecord = ({ work, name, progress }: HeldClaim): WorkRecord => ({
    ...work,
    ...progressOf({ ...work, markedMs: progress.atMs(), fate: 'running' }, now()),
    owner,
    instance: instance ?? null,
    host: us.place.host,
    pid: name.pid,
    fate: 'running',
  });

  const claimOf = (one: HeldClaim): Claim => ({
    owner,
    get recorded() {
      return one.recorded;
    },
    follow(pid) {
      const worker = markOf(processId(pid));
      if (worker === null || held.get(one.digest) !== one) return false;
      const name = nameFor(worker);
      const code = renameClaim(home, one.digest, one.name, name);
      if (code !== '' && one.recorded) return false;
      one.name = name;
      return true;
    },
    touch() {
      if (held.get(one.digest) !== one || one.lost) return false;
      const code = one.progress.touch(one.digest, one.name);
      // If marking fails for another reason, the next heartbeat marks it.
      return code !== 'ENOENT' || !one.recorded;
    },
    onLost(listener) {
      if (one.lost) queueMicrotask(listener);
      else one.onLost.add(listener);
    },
    end: () => held.get(one.digest) === one && release(one),
  });

  const found = look();
  const timer = setInterval(beat, beatMs).unref();

  return {
    owner,
    found,
    begin(asked) {
      refuseInvalid(asked);
      const { door, id, principal = null, conversation = null, stallMs = null, on } = asked;
      // If the worker has already ended, the work belongs to this process.
      const worker = on === undefined ? us : (markOf(processId(on)) ?? us);
      const digest = digestOf(door, id);
      const other = held.get(digest);
      if (other !== undefined) {
        if (!isOver(other)) return null;
        release(other);
      }
      const work = { door, id, principal, since: formatInstant(now()), conversation, stallMs };
      const name = nameFor(worker);
      const progress = progressMark(home, clocks);
      const state = { recorded: false, lost: false, adopted: false, onLost: new Set<() => void>() };
      const one = { digest, name, work, progress, ...state };
      const why = record(one);
      if (why === 'stands') return null;
      held.set(digest, one);
      if (why !== '') say(one, why);
      return claimOf(one);
    },
    adopted({ door, id }) {
      const one = held.get(digestOf(door, id));
      return one?.adopted === true ? claimOf(one) : null;
    },
    count: () => held.size + strays,
    held: () => [...held.values()].map(heldRecord),
    list() {
      const read = readRegister(home, { now });
      const unrecorded = [...held.values()].filter((one) => !one.recorded);
      return { ...read, work: [...read.work, ...unrecorded.map(heldRecord)] };
    },
    close() {
      closed = true;
      clearInterval(timer);
      leaveWhenClosed();
    },
  };
}
