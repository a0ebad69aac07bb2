/**
 * Other programs' writers, which know no tenure: a dead sentinel is put there for the workers to
 * retire, and a live one in its place by one of the usual means, which must hold from then on.
 * What foreign writers do to a rewrite of several holds is the explorer's to try.
 */
import {
  closeSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { TENURE } from '../../src/disk/names.ts';
import { recover } from '../../src/disk/recover.ts';
import { remains } from './own-hold.ts';
import type { Site } from './site.ts';

/** The only name in the scope that is neither the library's nor ESTOP. */
export const FOREIGN_DRAFT = 'foreign-draft';

/** Looks at once, and how often, so that retirements which doze are seen through to their end. */
const LOOKS = 20;
const BATCHES = 2;
/** The live sentinel comes at any moment of this after the dead one; often at once. */
const HEAD_START_MS = 3;
/** How long the second writer tries for the name. */
const TRIES = 5;
const SETTLINGS = 50;
/** A slow writer in place truncates first, and this much later writes. */
const TRUNCATED_MICROS = 60;
/** Only to tell "busy for long" from "never". */
const PATIENCE = { tries: 12, rounds: 20, waitMs: 0 };

/** Writes a live sentinel; answers the ids that must stand once all is settled. */
type Writer = (id: string) => readonly string[];

export async function writeForeign(site: Site): Promise<void> {
  const { scope, ledger, dice, disk, running } = site;
  const { twice, ...others } = writersAt(site);
  for (let round = 0; running(); round++) {
    // Every other round, since what it is after is rare: a retirement must doze at two places.
    const [how, write] =
      round % 2 === 0 ? (['twice', twice] as const) : dice.pick(entriesOf(others));
    const violation = (what: string, context: object) =>
      ledger.violation({ by: `foreign ${how}`, what, ...context, disk: remains(scope) });

    const dead = { generation: `dead-${round}`, expires_at: '2001-01-01T00:00:00Z' };
    placeByRename(scope, JSON.stringify(dead));
    if (dice.chance(0.3)) spin(dice.below(HEAD_START_MS * 1_000));
    else await setTimeout(dice.between(1, HEAD_START_MS));
    const ids = write(`live-${round}`);
    for (let look = 0; look < LOOKS * BATCHES; look++) {
      const found = check(disk, scope);
      ledger.count('looks');
      if (!found.engaged) violation('free while a foreign hold stands', { look, found });
      else if (found.aside === true) ledger.count('aside');
      else if (found.unreadable === 'unsettled') ledger.count('unsettled');
      if (look % LOOKS === LOOKS - 1) await setTimeout(1);
    }

    const standing = idsAtRest(site);
    if (standing !== null && !ids.every((id) => standing.includes(id))) {
      violation('a foreign hold is lost', { ids, standing });
    }
    const answer = lift(disk, scope, { everyone: true }, {}, PATIENCE);
    if (!answer.lifted) violation('a standing hold could not be lifted', { answer });
    const after = check(disk, scope);
    if (answer.lifted && after.engaged && after.unreadable !== 'unsettled') {
      violation('held after everyone was lifted', { answer, after });
    }
    ledger.count(`round ${how}`);
    if (ids.length > 1) ledger.count('met');
  }
}

function writersAt({ scope, ledger, disk }: Site) {
  const sentinel = join(scope, 'ESTOP');
  const textOf = (id: string) => JSON.stringify({ generation: id });
  return {
    rename(id: string) {
      placeByRename(scope, textOf(id));
      return [id];
    },
    // Where a hold must stand, but its text may not: a write that lands in what was lifted is lost.
    'write in place'(id: string) {
      writeFileSync(sentinel, textOf(id));
      return [];
    },
    'slow write in place'(id: string) {
      const fd = openSync(sentinel, 'w');
      spin(TRUNCATED_MICROS);
      writeSync(fd, textOf(id));
      closeSync(fd);
      return [];
    },
    // The second is created where the name is free because the first is aside by mistake: both stand.
    twice(id: string) {
      const draft = join(scope, FOREIGN_DRAFT);
      const second = `${id}-second`;
      placeByRename(scope, textOf(id));
      writeFileSync(draft, textOf(second));
      let placed = linked(draft, sentinel);
      for (let attempt = 0; attempt < TRIES && !placed; attempt++) {
        disk.pause(0);
        placed = linked(draft, sentinel);
      }
      // Or the next draft would be written into the sentinel.
      unlinkSync(draft);
      return placed ? [id, second] : [id];
    },
    arm(reason: string) {
      const answer = arm(disk, scope, { reason }, PATIENCE);
      if (answer.armed) return [answer.id];
      ledger.violation({ by: 'foreign arm', what: 'did not arm', answer, disk: remains(scope) });
      return [];
    },
  } satisfies Record<string, Writer>;
}

/**
 * Null: never at rest. While a tenure is there, a hold may be aside in it beside a standing ESTOP,
 * and a check names only those of ESTOP. Once there is none, nobody claims what lives by mistake
 * any more, since it already lived when the next one looks.
 */
function idsAtRest({ scope, ledger, disk }: Site): string[] | null {
  for (let attempt = 0; attempt < SETTLINGS; attempt++) {
    recover(disk, scope, { force: true });
    if (disk.lstat(join(scope, TENURE)) !== null) continue;
    const found = check(disk, scope);
    if (found.engaged && found.unreadable === 'unsettled') continue;
    return found.engaged ? found.holds.map((hold) => hold.id) : [];
  }
  ledger.count('never-at-rest');
  return null;
}

/** Never empty. */
const entriesOf = (writers: Readonly<Record<string, Writer>>) =>
  Object.entries(writers) as [[string, Writer], ...[string, Writer][]];

function placeByRename(scope: string, text: string): void {
  writeFileSync(join(scope, FOREIGN_DRAFT), text);
  renameSync(join(scope, FOREIGN_DRAFT), join(scope, 'ESTOP'));
}

function linked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function spin(micros: number): void {
  const end = process.hrtime.bigint() + BigInt(micros) * 1_000n;
  while (process.hrtime.bigint() < end);
}
