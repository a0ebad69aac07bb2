/**
 * Twenty thousand names where a handful belong: nothing walks over them all, and the scope is held.
 */
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { arm } from '../../../src/disk/arm.ts';
import { check } from '../../../src/disk/check.ts';
import { lift } from '../../../src/disk/lift.ts';
import { STAGING, TENURE } from '../../../src/disk/names.ts';
import { nodeDisk } from '../../../src/disk/node-disk.ts';
import { recover } from '../../../src/disk/recover.ts';
import { scopeInMemory } from '../../support/scope-dir.ts';

const disk = nodeDisk({ patienceMs: 0 });
const MANY = 20_000;
/** A dead process. */
const DEAD = 'aaaaaaaa.4194305.dead.0';
/** Processor time, which a busy machine does not stretch. Listing them once costs some 20 ms. */
const BOUND_MS = 2_000;
/** One removal is some system calls. */
const REMOVAL_MS = 0.4;

function fill(folder: string, prefix = ''): void {
  mkdirSync(folder, { recursive: true });
  // The cheapest of entries to make.
  for (let n = 0; n < MANY; n++) symlinkSync('nowhere', join(folder, `${prefix}${n}`));
}

/** Every operation once. */
function operate(dir: string) {
  const begun = process.cpuUsage();
  const armed = arm(disk, dir, {});
  const lifted = lift(disk, dir, { everyone: true });
  const recovered = recover(disk, dir, { force: true });
  const checked = check(disk, dir);
  const { user, system } = process.cpuUsage(begun);
  return { armed, lifted, recovered, checked, cpuMs: (user + system) / 1_000 };
}

test.each([
  ['the folder of tenures', TENURE],
  ['a tenure', join(TENURE, DEAD)],
])('twenty thousand names in %s are neither walked over nor removed, and hold', (_, at) => {
  const dir = scopeInMemory();
  fill(join(dir, at));
  const { armed, lifted, recovered, checked, cpuMs } = operate(dir);
  expect(armed.armed || armed.engaged).toBe(true);
  expect(lifted.lifted).toBe(false);
  expect(recovered).toMatchObject({ settled: false, why: 'busy' });
  expect(checked).toMatchObject({ engaged: true, unreadable: 'EOVERFLOW' });
  const [token] = at === TENURE ? [''] : readdirSync(join(dir, TENURE));
  expect(readdirSync(join(dir, TENURE, token ?? '')).length).toBe(MANY);
  expect(cpuMs).toBeLessThan(BOUND_MS);
});

test('twenty thousand stagings are all removed by one recovery, and the scope works meanwhile', () => {
  const dir = scopeInMemory();
  fill(dir, `${STAGING}${DEAD}`);
  const { armed, lifted, recovered, checked, cpuMs } = operate(dir);
  expect(armed).toMatchObject({ armed: true });
  expect(lifted).toMatchObject({ lifted: true });
  expect(recovered).toMatchObject({ settled: true });
  expect(recovered.swept.length).toBe(MANY);
  expect(readdirSync(dir)).toEqual([]);
  expect(checked.engaged).toBe(false);
  expect(cpuMs).toBeLessThan(BOUND_MS + MANY * REMOVAL_MS);
});
