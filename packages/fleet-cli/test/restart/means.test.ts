/**
 * By which means a gateway is restarted, and who may have written them: as two users where this process may
 * become another one.
 */
import { chmodSync, chownSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Profile } from '@fleet-estop/sentinel-core';
import { describe, expect, it } from 'vitest';
import { meansOf } from '../../src/verbs/restart/means.ts';
import { runMeans } from '../../src/verbs/restart/run-means.ts';
import { exists, makeFleet, temporaryFolder } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { setMeans, superviseGateway } from '../support/restartable.ts';
import { startWatcher } from '../support/watcher.ts';

const isSuperuser = process.getuid?.() === 0;
const NOBODY = 65_534;

function profileWith(restart: unknown): Profile {
  const fleet = makeFleet('lane-a');
  setMeans(fleet, 'lane-a', restart);
  return { name: 'lane-a', home: fleet.folder('lane-a') };
}

describe('what is started', () => {
  it.each([
    [{ systemd: 'a.service' }, ['systemctl', 'restart', '--', 'a.service']],
    [{ systemd: 'a.service', user: true }, ['systemctl', '--user', 'restart', '--', 'a.service']],
    [{ container: 'a' }, ['docker', 'restart', 'a']],
    [{ container: 'a', engine: 'podman' }, ['podman', 'restart', 'a']],
    [{ command: ['./x', '$(y)'] }, ['./x', '$(y)']],
  ])('%j', async (restart, words) => {
    expect((await meansOf(profileWith(restart)))?.words).toEqual(words);
  });
});

describe('the means count only if nobody else may write them', () => {
  const refusalOf = async (profile: Profile) =>
    await meansOf(profile).then(
      () => null,
      (error) => ({ code: error.code, message: error.message, hint: error.hint }),
    );

  it.each([
    ['the group may write the file', 'profile.yaml', 0o664],
    ['others may write the file', 'profile.yaml', 0o646],
    ['the group may write the folder', '.', 0o775],
    ['others may write the folder', '.', 0o757],
  ])('%s: refused', async (_what, path, mode) => {
    const profile = profileWith({ command: ['true'] });
    chmodSync(join(profile.home, path), mode);
    expect(await refusalOf(profile)).toMatchObject({
      code: 'VALUE_INVALID',
      message: expect.stringContaining(join(profile.home, path)),
    });
  });

  it('a link is refused: whoever may write at its end is not known', async () => {
    const profile = profileWith({ command: ['true'] });
    const elsewhere = join(temporaryFolder(), 'profile.yaml');
    writeFileSync(elsewhere, readFileSync(join(profile.home, 'profile.yaml')));
    const home = temporaryFolder();
    symlinkSync(elsewhere, join(home, 'profile.yaml'));
    expect((await refusalOf({ name: 'lane-a', home }))?.message).toContain('it is a link');
  });

  it.runIf(isSuperuser)(
    'root does not run what another user wrote, and is told to run it as that user',
    async () => {
      const fleet = makeFleet('lane-a');
      await startWatcher(fleet.root);
      const home = fleet.folder('lane-a');
      const trap = join(temporaryFolder(), 'trap');
      setMeans(fleet, 'lane-a', { command: ['touch', trap] });
      for (const path of [home, join(home, 'profile.yaml')]) chownSync(path, NOBODY, NOBODY);
      const live = startFleet(['restart', '--root', fleet.root, '-p', 'lane-a']);
      expect((await live.ended).code).toBe(2);
      expect(live.stderr()).toContain(`the user with id ${NOBODY}`);
      expect(live.stderr()).toContain(`sudo -u '#${NOBODY}' fleet restart -p lane-a`);
      expect([exists(trap), exists(fleet.sentinel('lane-a'))]).toEqual([false, false]);
    },
  );

  it.runIf(isSuperuser)('another user runs what root wrote', async () => {
    const fleet = makeFleet('lane-a');
    const home = fleet.folder('lane-a');
    setMeans(fleet, 'lane-a', { command: ['true'] });
    chownSync(home, NOBODY, NOBODY);
    const seteuid = process.seteuid?.bind(process);
    seteuid?.(NOBODY);
    try {
      expect((await meansOf({ name: 'lane-a', home }))?.words).toEqual(['true']);
    } finally {
      seteuid?.(0);
    }
  });
});

describe('running the means', () => {
  it('ends with the program, although what it started keeps its output open', async () => {
    const words = ['sh', '-c', 'sleep 30 & echo started; exit 0'] as const;
    const end = await runMeans({ words, cwd: null }, {});
    expect(end).toEqual({ failure: null, lines: ['started'] });
  });

  it('a program that does not end is killed with its group', async () => {
    const words = ['sh', '-c', 'echo waiting; sleep 60'] as const;
    const end = await runMeans({ words, cwd: null }, {}, 300);
    expect(end.failure).toContain('was killed');
    expect(end.lines).toEqual(['waiting']);
  });

  it('a program that is not there is a failure', async () => {
    const end = await runMeans({ words: ['no-such-program'], cwd: null }, {});
    expect(end.failure).toBe('`no-such-program` could not be started (ENOENT)');
  });
});

/** Records how it was called, and then ends the gateway as an engine would. */
function standIn(name: string, pidFile: string): { readonly path: string; calls(): string } {
  const folder = temporaryFolder();
  const log = join(folder, 'calls');
  mkdirSync(join(folder, 'bin'));
  const script = `#!/bin/sh\nprintf '%s\\n' "$0 $*" >> ${log}\npid=$(cat ${pidFile})\nkill $pid\nwhile kill -0 $pid 2>/dev/null; do sleep 0.05; done\n`;
  writeFileSync(join(folder, 'bin', name), script, { mode: 0o755 });
  return { path: join(folder, 'bin'), calls: () => readFileSync(log, 'utf8') };
}

it.each([
  ['docker', { container: 'lane-a' }, 'docker restart lane-a'],
  ['podman', { container: 'lane-a', engine: 'podman' }, 'podman restart lane-a'],
  [
    'systemctl',
    { systemd: 'lane-a.service', user: true },
    'systemctl --user restart -- lane-a.service',
  ],
])(
  '%s is called once, and the gateway that it restarted is verified',
  async (name, means, call) => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await superviseGateway(fleet, 'lane-a');
    const engine = standIn(name, join(fleet.folder('lane-a'), 'run', 'pid'));
    setMeans(fleet, 'lane-a', means);
    const words = ['restart', '--root', fleet.root, '-p', 'lane-a', '--settle', '1s'];
    const live = startFleet(words, {
      env: { PATH: `${engine.path}:${process.env['PATH'] ?? ''}` },
    });
    expect([(await live.ended).code, live.stderr()]).toEqual([
      0,
      expect.stringContaining('lane-a: lifted'),
    ]);
    expect(engine.calls()).toBe(`${join(engine.path, call)}\n`);
  },
);
