/**
 * Settings files as people and tools save them, under a whole watcher. The sweep interval is too
 * long to help, except where a link is swapped elsewhere.
 */
import { mkdirSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { arm } from '@fleet-estop/sentinel-core';
import type { FleetSettings } from '@fleet-estop/settings';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startWatcher, type Watcher } from '../../src/daemon.ts';
import { OBSERVE_MODES, type ObserveMode } from '../../src/observe/choose.ts';
import {
  disk,
  type LogLine,
  laneHeld,
  listeningLog,
  makeRoot,
  NEVER_MS,
} from '../support/watched.ts';

const textOf = (port: number) => `version: 1\nwatcher:\n  http:\n    port: ${port}\n`;

/** As a line of the log shows settings. */
const portOf = (fields: LogLine['fields']): unknown =>
  (fields['settings'] as FleetSettings | undefined)?.watcher?.http?.port;

async function begun(root: string, observe: ObserveMode, sweepMs = NEVER_MS) {
  const log: LogLine[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  const start = await startWatcher({
    root,
    log: listeningLog(log, wake),
    observe,
    sweepMs,
    pollMs: 10,
  });
  if (!start.started) throw new Error('refused');
  const { watcher } = start;
  onTestFinished(() => watcher.close());
  const until = (fits: (watcher: Watcher) => boolean): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (!fits(watcher)) return;
        waiting.delete(look);
        resolve();
      };
      waiting.add(look);
      look();
    });
  watcher.store.subscribe(wake);
  const untilPort = (port: number) =>
    until((it) => it.configState().settings.watcher?.http?.port === port);
  return { watcher, log, until, untilPort };
}

describe.each(OBSERVE_MODES)('in mode %s', (mode) => {
  test('five saves by rename in a row end at the last', async () => {
    const root = makeRoot('lane-a');
    const { untilPort } = await begun(root, mode);
    for (let again = 0; again < 5; again++) {
      for (let save = 1; save <= 5; save++) {
        writeFileSync(join(root, 'draft'), textOf(again * 10 + save));
        renameSync(join(root, 'draft'), join(root, 'fleet.yaml'));
      }
      await untilPort(again * 10 + 5);
    }
  });

  test('an editor that keeps a backup, and one that writes in place, are followed', async () => {
    const root = makeRoot('lane-a');
    const file = join(root, 'fleet.yaml');
    writeFileSync(file, textOf(1));
    const { untilPort } = await begun(root, mode);
    await untilPort(1);
    for (const port of [2, 3]) {
      // As vim does it: tries whether it may create a file, moves the old one away, writes anew.
      writeFileSync(join(root, '4913'), '');
      unlinkSync(join(root, '4913'));
      renameSync(file, `${file}~`);
      writeFileSync(file, textOf(port));
      unlinkSync(`${file}~`);
      await untilPort(port);
    }
    for (const port of [4, 5]) {
      writeFileSync(file, textOf(port));
      await untilPort(port);
    }
  });

  test('a save that takes a moment is one change, and no alarm', async () => {
    const root = makeRoot('lane-a');
    const file = join(root, 'fleet.yaml');
    writeFileSync(file, textOf(1));
    const { watcher, log, untilPort } = await begun(root, mode);
    // Long enough to be seen, also where somebody has to look.
    const moment = () => delay(60);
    const saves: [number, () => void][] = [
      [2, () => renameSync(file, `${file}~`)],
      [3, () => unlinkSync(file)],
      [4, () => writeFileSync(file, '')],
      [5, () => writeFileSync(file, textOf(5).slice(0, -6))],
    ];
    for (const [port, begin] of saves) {
      begin();
      await moment();
      writeFileSync(file, textOf(port));
      await untilPort(port);
    }
    const said = log.filter(({ message }) => message.startsWith('settings '));
    expect(said.map(({ message, fields }) => [message, portOf(fields)])).toEqual(
      [1, 2, 3, 4, 5].map((port) => ['settings in force', port]),
    );
    expect(watcher.store.log.recent(9).filter(({ type }) => type === 'config.rejected')).toEqual(
      [],
    );
  });

  test('a file that is gone or empty for good is followed without a sweep', async () => {
    const root = makeRoot('lane-a');
    const file = join(root, 'fleet.yaml');
    writeFileSync(file, textOf(1));
    const { log, until } = await begun(root, mode);
    writeFileSync(file, '');
    await until((it) => it.configState().rejected[0]?.inForce === 'last-good');
    unlinkSync(file);
    await until((it) => it.configState().settings.watcher === undefined);
    await until((it) => it.configState().rejected.length === 0);
    expect(log.map(({ message }) => message)).toContain('settings are valid again');
  });

  test('a link that is swapped is followed; one behind it, by the sweep', async () => {
    const root = makeRoot('lane-a');
    for (const port of [1, 2, 3, 4]) {
      mkdirSync(join(root, `version-${port}`));
      writeFileSync(join(root, `version-${port}/fleet.yaml`), textOf(port));
    }
    const turn = (link: string, to: string) => {
      symlinkSync(to, join(root, 'draft'));
      renameSync(join(root, 'draft'), join(root, link));
    };
    turn('fleet.yaml', 'version-1/fleet.yaml');
    const byNotice = await begun(root, mode);
    await byNotice.untilPort(1);
    turn('fleet.yaml', 'version-2/fleet.yaml');
    await byNotice.untilPort(2);
    await byNotice.watcher.close();

    turn('..data', 'version-3');
    turn('fleet.yaml', '..data/fleet.yaml');
    const bySweep = await begun(root, mode, 100);
    await bySweep.untilPort(3);
    turn('..data', 'version-4');
    await bySweep.untilPort(4);
  });

  test('settings that lead in a circle, nowhere or through a file are named, and blind no other', async () => {
    const root = makeRoot('circle', 'nowhere', 'through', 'good');
    const fileOf = (name: string) => join(root, 'profiles', name, 'profile.yaml');
    writeFileSync(join(root, 'plain'), '');
    symlinkSync('profile.yaml', fileOf('circle'));
    symlinkSync('elsewhere', fileOf('nowhere'));
    symlinkSync(join(root, 'plain/profile.yaml'), fileOf('through'));
    symlinkSync('fleet.yaml', join(root, 'fleet.yaml'));
    writeFileSync(fileOf('good'), 'version: 1\ndescription: one\n');
    const { watcher, until, untilPort } = await begun(root, mode);
    const rejected = () => watcher.configState().rejected.map(({ path }) => path);
    await until(() => rejected().length === 4);
    expect(rejected().sort()).toEqual(
      [join(root, 'fleet.yaml'), ...['circle', 'nowhere', 'through'].map(fileOf)].sort(),
    );
    for (const name of ['circle', 'nowhere', 'through', 'good']) {
      arm(disk, join(root, 'profiles', name), {});
      await until((it) => laneHeld(name)(it.store.snapshot().fleet));
    }
    unlinkSync(join(root, 'fleet.yaml'));
    writeFileSync(join(root, 'fleet.yaml'), textOf(7));
    await untilPort(7);
    await until(() => rejected().length === 3);
  });
});
