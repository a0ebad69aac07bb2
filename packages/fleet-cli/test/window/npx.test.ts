/**
 * A window that `npx` started: what kills npx does not reach it, so it says so, and notices.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exists, LAUNCHER, makeFleet, temporaryFolder } from '../support/fleet.ts';
import { startFleet, startProcess, until } from '../support/live.ts';

/** A folder in which `npx fleet` is this `fleet`, and needs no registry. */
function installed(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name":"installed","private":true}');
  symlinkSync(LAUNCHER, join(folder, 'node_modules/.bin/fleet'));
  return folder;
}

describe('a window that npx started', () => {
  it('says that the command should be installed, and that its parent is gone when npx is killed', {
    timeout: 60_000,
  }, async () => {
    const { root, sentinel } = makeFleet();
    const npx = ['--prefix', installed(), '--offline', '--no', '--'];
    const words = [...npx, 'fleet', 'window', '--root', root];
    // Its input ends with npx, so the command waits for something else.
    const end = join(temporaryFolder(), 'end');
    const command = `echo ready; until [ -e '${end}' ]; do sleep 0.1; done`;
    const live = startProcess('npx', [...words, '--', 'sh', '-c', command], {
      env: { HOME: temporaryFolder(), npm_config_update_notifier: 'false' },
    });
    await live.prints('ready');
    expect(live.stderr()).toContain('npx');
    expect(live.stderr()).toContain('install');
    live.signal('SIGKILL');
    await live.complains('has ended');
    expect(exists(sentinel())).toBe(true);
    writeFileSync(end, '');
    await until(() => !exists(sentinel()));
  });

  it('that was started otherwise says nothing of it', async () => {
    const { root } = makeFleet();
    const live = startFleet(['window', '--root', root, '--', 'true']);
    await live.ended;
    expect(live.stderr()).not.toContain('npx');
  });
});
