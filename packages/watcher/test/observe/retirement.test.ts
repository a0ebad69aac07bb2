/**
 * Expired sentinels are removed, and those that cannot be removed are reported once.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm, type DiskPort, formatInstant, journalPath } from '@fleet-estop/sentinel-core';
import { expect, test } from 'vitest';
import { disk, lane, laneHeld, makeRoot, watched } from '../support/watched.ts';

const past = '2020-01-01T00:00:00+00:00';

const journal = (root: string) =>
  readFileSync(journalPath(root), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

test('what had expired before we came is retired, and the journal says by whom', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  writeFileSync(join(home, 'ESTOP'), JSON.stringify({ generation: 'g1', expires_at: past }));
  const { until, untilLogged } = watched(root);
  await untilLogged('retired');
  await until((fleet) => lane(fleet, 'lane-a')?.own?.expired === false);
  expect(journal(root)).toMatchObject([
    {
      event: 'retire',
      scope: home,
      profile: 'lane-a',
      holds: [{ id: 'g1' }],
      actor: { via: 'fleet-watcher' },
    },
  ]);
});

test('a hundred that expire in one moment are all retired', async () => {
  const names = Array.from({ length: 100 }, (_, n) => `lane-${n}`);
  const root = makeRoot(...names);
  const until = formatInstant(Date.now() + 400);
  for (const name of names) {
    const body = JSON.stringify({ generation: name, expires_at: until });
    writeFileSync(join(root, 'profiles', name, 'ESTOP'), body);
  }
  const { until: untilState } = watched(root);
  await untilState((fleet) =>
    fleet.profiles.every(({ own }) => own?.expired === false && !own.engaged),
  );
  await untilState((fleet) => fleet.profiles.every(({ own }) => own?.expired === false));
  expect(new Set(journal(root).map((line) => line.holds[0].id))).toEqual(new Set(names));
});

test('one of two holders whose hold expires leaves the other standing, and the file', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  arm(disk, home, { holder: 'short', expiresAt: formatInstant(Date.now() + 300) });
  arm(disk, home, { holder: 'long' });
  const { untilEvent, until } = watched(root);
  expect(await untilEvent('hold.expired')).toMatchObject({ data: { hold: { holder: 'short' } } });
  const fleet = await until(laneHeld('lane-a'));
  expect(lane(fleet, 'lane-a')?.own?.holds.map(({ holder }) => holder)).toEqual(['long']);
});

test('a sentinel that cannot be removed is said once, tried at every sweep, and makes no loop', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  const stuckHome = join(root, 'profiles/lane-a');
  for (const name of ['lane-a', 'lane-b']) {
    const body = JSON.stringify({ generation: name, expires_at: past });
    writeFileSync(join(root, 'profiles', name, 'ESTOP'), body);
  }
  let tries = 0;
  const refusing: DiskPort = {
    ...disk,
    rename(from, to) {
      if (from === join(stuckHome, 'ESTOP')) {
        tries += 1;
        throw Object.assign(new Error('busy mount'), { code: 'EBUSY' });
      }
      disk.rename(from, to);
    },
  };
  const { until, log } = watched(root, { disk: refusing, sweepMs: 40 });
  await until((fleet) => lane(fleet, 'lane-b')?.own?.expired === false);
  const begun = performance.now();
  while (tries < 4) await new Promise((resolve) => setTimeout(resolve, 5));
  const sweeps = (performance.now() - begun) / 40;
  expect(tries).toBeLessThan(sweeps + 6);
  const said = log.filter(({ message }) => message.includes('cannot be removed'));
  expect(said.map(({ fields }) => fields)).toEqual([{ dir: stuckHome, why: 'EBUSY' }]);
});

test('a hold that took the place of the expired one meanwhile stands', async () => {
  const root = makeRoot('lane-a');
  const home = join(root, 'profiles/lane-a');
  writeFileSync(join(home, 'ESTOP'), JSON.stringify({ generation: 'old', expires_at: past }));
  const racing: DiskPort = {
    ...disk,
    mkdir(path) {
      // Between the look and the retirement.
      if (path.includes('.ESTOP')) writeFileSync(join(home, 'ESTOP'), '{"reason":"successor"}');
      disk.mkdir(path);
    },
  };
  const { until } = watched(root, { disk: racing });
  const fleet = await until(laneHeld('lane-a'));
  expect(lane(fleet, 'lane-a')?.own?.holds[0]?.reason).toBe('successor');
});
