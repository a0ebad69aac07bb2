/**
 * A holder: arms, re-arms and lifts its own hold, alone in its name, and looks before each step
 * whether it still is exactly as it left it.
 * How it knows what it left, deaths included, is `own-hold.ts`.
 */
import { arm } from '../../src/disk/arm.ts';
import { lift } from '../../src/disk/lift.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import type { ArmRequest } from '../../src/disk/results.ts';
import { formatInstant } from '../../src/model/stamp.ts';
import {
  bookOf,
  isPossible,
  mayHaveExpired,
  type Outcome,
  type OwnHold,
  remains,
} from './own-hold.ts';
import { phaseOf } from './phases.ts';
import { anyPatience, type Post, type Work } from './post.ts';

export function holder({ orders, ledger, dice }: Post): Work {
  const { scope, phase, role } = orders;
  const name = role.name;
  const { rests, ttlMs } = phaseOf(phase);
  const book = bookOf(ledger, scope, name);

  const violation = (what: string, answer: unknown) =>
    ledger.violation({ by: name, what, answer, page: book.page(), disk: remains(scope) });

  /** Its answer was no: what stands decides, since an operation may have committed all the same. */
  const judgeByDisk = (disk: DiskPort, verb: string, why: string): Outcome => {
    ledger.count(`odd ${verb} ${why}`);
    return book.verify(disk, `after ${verb} answered ${why}`);
  };

  const armNow = (disk: DiskPort, left: Outcome): void => {
    const mark = `${name}-${process.pid}-${book.page().serial}`;
    const { request, outcomes } = dice.chance(0.3) ? keepingArm(mark, left) : fullArm(mark);
    ledger.count(left === null ? 'op arm' : 'op re-arm');
    book.begin(outcomes);
    const answer = arm(disk, scope, request, anyPatience(dice));
    if (!answer.armed || answer.degraded !== undefined) {
      judgeByDisk(disk, 'arm', (answer.armed ? answer.degraded : answer.why) ?? '');
      return;
    }
    const placed = outcomes.find((want) => isPossible(want, answer.hold, false));
    if (placed === undefined) violation('arm answered with another hold', answer);
    book.end({ ...(placed ?? outcomes[0]), id: answer.id });
  };

  const fullArm = (mark: string): Arming => {
    const ttl = ttlMs(dice);
    const expiresAtMs = ttl === null ? null : Date.now() + ttl;
    const expiresAt = expiresAtMs === null ? null : formatInstant(expiresAtMs);
    const allow = dice.chance(0.2) ? null : { userIds: [mark] };
    return {
      request: { holder: name, reason: mark, expiresAt, allow },
      outcomes: [{ mark, id: null, expiresAt, expiresAtMs, allowed: allow === null ? null : mark }],
    };
  };

  /** Says nothing of deadline and allowlist: those of a hold that stands stay, others do not return. */
  const keepingArm = (mark: string, left: Outcome): Arming => {
    const request = { holder: name, reason: mark };
    const fresh = { mark, id: null, expiresAt: null, expiresAtMs: null, allowed: null };
    // What ended a moment ago is not in the books any more: so nothing is asked to be kept of it.
    if (left === null) return { request: { ...request, allow: null }, outcomes: [fresh] };
    const kept = { ...left, mark, id: null };
    const mayBeGone = left.expiresAtMs !== null || phase === 'all';
    // Within a second after its deadline the allowlist is kept, and the deadline is not.
    const lapsed = { ...kept, expiresAt: null, expiresAtMs: null };
    return { request, outcomes: mayBeGone ? [kept, lapsed, fresh] : [kept] };
  };

  const liftNow = (disk: DiskPort, left: OwnHold): void => {
    ledger.count('op lift');
    book.begin([null]);
    const byId = left.id !== null && dice.chance(0.5);
    const selection = byId ? { id: left.id ?? '' } : { holder: name };
    const answer = lift(disk, scope, selection, {}, anyPatience(dice));
    if (answer.lifted) {
      const mine = answer.holds.some((hold) => hold.holder === name);
      const stays = answer.remaining.some((hold) => hold.holder === name);
      if (!mine || stays) violation('lift answered with other holds', answer);
      book.end(null);
      return;
    }
    const stands = judgeByDisk(disk, 'lift', answer.why);
    const denied = answer.why === 'not-held' || answer.why === 'absent';
    if (denied && stands !== null && !mayHaveExpired(stands)) {
      violation('lift denied a hold that stands', answer);
    }
  };

  return {
    begin(disk) {
      if (book.page().pending !== null) ledger.count('mid-operation');
      book.verify(disk, 'after a death');
    },
    step(disk) {
      const left = book.verify(disk, 'before a step');
      if (left === null || dice.chance(0.55)) armNow(disk, left);
      else liftNow(disk, left);
      if (dice.chance(0.2)) disk.pause(2);
      // Long enough for a short deadline to pass, and for somebody to retire what it leaves.
      const rest = rests && dice.chance(0.08) ? dice.below(12) : 0;
      for (let look = 0; look < rest; look++) {
        book.verify(disk, 'while resting');
        disk.pause(3);
      }
    },
  };
}

interface Arming {
  readonly request: ArmRequest;
  /** What may stand afterwards, beside what stood before. */
  readonly outcomes: readonly [OwnHold, ...OwnHold[]];
}
