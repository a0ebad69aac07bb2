/**
 * The book that a holder keeps on its one hold: what it is about to do, what came of it, and whether
 * what stands on disk is exactly that.
 * It survives the holder's death, and the next process of that name goes on from it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { check } from '../../src/disk/check.ts';
import type { DiskPort } from '../../src/disk/port.ts';
import type { Hold } from '../../src/model/hold.ts';
import type { ScopeCheck } from '../../src/model/scope.ts';
import { everyoneLifts } from './everyone.ts';
import type { Ledger } from './ledger.ts';

export interface OwnHold {
  /** A reason that no other arm has. */
  readonly mark: string;
  /** null: not known yet, since its maker died before it was told. */
  readonly id: string | null;
  readonly expiresAt: string | null;
  readonly expiresAtMs: number | null;
  readonly allowed: string | null;
}

/** null: none. */
export type Outcome = OwnHold | null;

export interface Page {
  /** Grows with every change, so that the same number read twice means that nothing happened between. */
  readonly serial: number;
  readonly left: Outcome;
  /** What the operation under way may make of it; null: none is. */
  readonly pending: readonly Outcome[] | null;
  /** Lifts of everyone's up to this number were over before the hold was last seen or placed. */
  readonly everyoneOver: number;
}

const BLANK: Page = { serial: 0, left: null, pending: null, everyoneOver: 0 };
/** A clock that steps back. */
const SLACK_MS = 20;
/** Others' operations can hide a hold from view while the scope is held: then look again. */
const LOOKS = 40;

export const pageOf = (ledger: Ledger, holder: string) => ledger.slate<Page>(`book ${holder}`);

export interface Book {
  page(): Page;
  /** Before an operation: what may come of it. */
  begin(outcomes: readonly Outcome[]): void;
  /** After it. */
  end(left: Outcome): void;
  /** What stands must be what was left or, after a death, what was pending. Answers what it is. */
  verify(disk: DiskPort, when: string): Outcome;
}

export function bookOf(ledger: Ledger, scope: string, holder: string): Book {
  const slate = pageOf(ledger, holder);
  const everyone = everyoneLifts(ledger);
  let page = slate.read() ?? BLANK;
  const turn = (change: Partial<Page>) => {
    page = { ...page, ...change, serial: page.serial + 1 };
    slate.write(page);
  };

  return {
    page: () => page,
    begin: (outcomes) => turn({ pending: outcomes }),
    end: (left) => turn({ left, pending: null }),
    verify(disk, when) {
      const candidates = [page.left, ...(page.pending ?? [])];
      let found: ScopeCheck | undefined;
      for (let look = 0; look < LOOKS; look++) {
        // Before the look: one that ends after it may have taken what was just seen.
        const everyoneOver = everyone.over();
        found = check(disk, scope);
        ledger.count('looks');
        const seen = holdOf(found, holder);
        const excused = everyone.begun() > page.everyoneOver;
        const hit = candidates.find((want) => isPossible(want, seen, excused));
        // A hold that is out of sight in an unsettled scope is not gone yet, unless that does not end.
        const outOfSight = hit !== undefined && seen === null && !isPlain(found);
        if (hit !== undefined && (!outOfSight || look === LOOKS - 1)) {
          const left = seen === null || hit === null ? null : { ...hit, id: seen.id };
          const news = left?.id !== page.left?.id || page.pending !== null;
          if (news || everyoneOver !== page.everyoneOver)
            turn({ left, pending: null, everyoneOver });
          return left;
        }
        // INVARIANT 3: "free" is never a matter of looking again.
        if (!found.engaged) break;
        if (look === 0) ledger.count('looked-again');
        disk.pause(3);
      }
      ledger.violation({
        by: holder,
        what: found?.engaged === false ? 'free while its hold stands' : 'its hold is not as left',
        when,
        page,
        everyone: { begun: everyone.begun(), over: everyone.over() },
        found,
        disk: remains(scope),
      });
      const seen = found === undefined ? null : holdOf(found, holder);
      turn({ left: seen === null ? null : asFound(seen), pending: null });
      return page.left;
    },
  };
}

export const holdOf = (found: ScopeCheck, holder: string): Hold | null =>
  (found.engaged ? found.holds.find((hold) => hold.holder === holder) : undefined) ?? null;

/** What ESTOP itself says, so every hold of the scope is in it. */
export const isPlain = (found: ScopeCheck): boolean =>
  !found.engaged || (found.aside === undefined && found.unreadable !== 'unsettled');

/** `excused`: a lift of everyone's may have taken it. */
export function isPossible(want: Outcome, seen: Hold | null, excused: boolean): boolean {
  if (seen === null) return want === null || mayHaveExpired(want) || excused;
  if (want === null) return false;
  const { mark, id, expiresAt, allowed } = want;
  return (
    seen.reason === mark &&
    (id === null || seen.id === id) &&
    seen.expiresAt === expiresAt &&
    (seen.allow?.userIds.join() ?? null) === allowed
  );
}

export const mayHaveExpired = (hold: OwnHold): boolean =>
  hold.expiresAtMs !== null && hold.expiresAtMs <= Date.now() + SLACK_MS;

const asFound = ({ id, reason, expiresAt, expiresAtMs, allow }: Hold): OwnHold => ({
  mark: reason ?? '',
  id,
  expiresAt,
  expiresAtMs,
  allowed: allow?.userIds.join() ?? null,
});

/** Everything that lies in a scope, and the sentinel's text, for the report of a violation. */
export function remains(scope: string): { names: string[]; sentinel: string } {
  const orWord = <T>(read: () => T, otherwise: T): T => {
    try {
      return read();
    } catch {
      return otherwise;
    }
  };
  return {
    names: orWord(() => readdirSync(scope, { recursive: true }).map(String).sort(), []),
    sentinel: orWord(() => readFileSync(`${scope}/ESTOP`, 'utf8').slice(0, 2_000), '(unreadable)'),
  };
}
