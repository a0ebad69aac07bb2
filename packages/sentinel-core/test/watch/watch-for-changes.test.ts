/** Looking again on a notice, also of folders that come, go, and take each other's place. */
import { mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { check, nodeDisk } from '../../src/index.ts';
import { notifyByNotices } from '../../src/watch/notices.ts';
import type { WatchedFolder } from '../../src/watch/observer.ts';
import { openPlainly } from '../../src/watch/plain-folder.ts';
import { watchForChanges } from '../../src/watch/watch-for-changes.ts';
import { mountsMissing, mountTmpfs } from '../support/mounts.ts';
import { needs } from '../support/needs.ts';
import { scopeDir } from '../support/scope-dir.ts';

const disk = nodeDisk();

/** Far beyond any test: what is seen, is seen by notice. */
const NEVER_MS = 600_000;

/** Follows scopes, and tells when it has seen that they are held, or free. */
function followed(scopes: readonly string[], shapes: readonly string[] = []) {
  let held: readonly boolean[] = [];
  let looks = 0;
  let wake = () => {};
  const watch = watchForChanges(
    () => {
      held = scopes.map((dir) => check(disk, dir).engaged);
      looks += 1;
      wake();
      return { scopes, shapes, deadlineMs: null };
    },
    { sweepMs: NEVER_MS },
  );
  onTestFinished(() => watch.close());
  const until = async (fits: () => boolean) => {
    while (!fits()) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return {
    watch,
    looks: () => looks,
    untilHeld: (at = 0) => until(() => held[at] === true),
    untilFree: (at = 0) => until(() => held[at] === false),
  };
}

test('a scope is looked at before `watchForChanges` returns, and again on every change', async () => {
  const dir = scopeDir();
  const { looks, untilHeld, untilFree } = followed([dir]);
  expect(looks()).toBeGreaterThan(0);
  for (let round = 0; round < 20; round++) {
    writeFileSync(join(dir, 'ESTOP'), '');
    await untilHeld();
    unlinkSync(join(dir, 'ESTOP'));
    await untilFree();
  }
});

test('a folder that was removed and made again with its sentinel is seen by notice', async () => {
  const dir = join(scopeDir(), 'scope');
  mkdirSync(dir);
  const { watch, untilHeld, untilFree } = followed([dir]);
  for (let round = 0; round < 50; round++) {
    rmSync(dir, { recursive: true });
    if (round % 2 === 0) await untilFree();
    mkdirSync(dir);
    writeFileSync(join(dir, 'ESTOP'), '');
    await untilHeld();
    unlinkSync(join(dir, 'ESTOP'));
    await untilFree();
  }
  expect([...watch.deaf()]).toEqual([]);
});

test('a folder that another one replaced is heard from then on', async () => {
  const dir = join(scopeDir(), 'scope');
  mkdirSync(dir);
  const { untilHeld, untilFree } = followed([dir]);
  for (let round = 0; round < 20; round++) {
    mkdirSync(`${dir}-new`);
    writeFileSync(join(`${dir}-new`, 'ESTOP'), '');
    renameSync(dir, `${dir}-old`);
    renameSync(`${dir}-new`, dir);
    await untilHeld();
    unlinkSync(join(dir, 'ESTOP'));
    await untilFree();
    rmSync(`${dir}-old`, { recursive: true });
  }
});

test('a folder that is not there yet is heard when it comes, its parents with it', async () => {
  const above = scopeDir();
  const dir = join(above, 'a/b/scope');
  const { watch, looks, untilHeld, untilFree } = followed([dir]);
  expect([...watch.deaf()]).toEqual([]);
  const before = looks();
  writeFileSync(join(above, 'else'), '');
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'ESTOP'), '');
  await untilHeld();
  expect(looks() - before).toBeLessThan(10);
  rmSync(join(above, 'a'), { recursive: true });
  await untilFree();
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'ESTOP'), '');
  await untilHeld();
});

test('a link that is turned elsewhere in a watched folder leads to what is heard', async () => {
  const [profiles, one, two] = [scopeDir(), scopeDir(), scopeDir()];
  const dir = join(profiles, 'linked');
  symlinkSync(one, dir);
  const { untilHeld, untilFree } = followed([dir], [profiles]);
  writeFileSync(join(one, 'ESTOP'), '');
  await untilHeld();
  symlinkSync(two, join(profiles, 'draft'));
  renameSync(join(profiles, 'draft'), dir);
  await untilFree();
  writeFileSync(join(two, 'ESTOP'), '');
  await untilHeld();
});

test('what comes and goes beside the sentinel is no reason to look', async () => {
  const dir = scopeDir();
  const { looks, untilHeld } = followed([dir]);
  const before = looks();
  for (let file = 0; file < 100; file++) writeFileSync(join(dir, `file-${file}`), '');
  writeFileSync(join(dir, 'ESTOP'), '');
  await untilHeld();
  expect(looks() - before).toBeLessThan(5);
});

describe('a change notifier', () => {
  const scopeAt = (dir: string): WatchedFolder => ({ dir, kind: 'scope', names: ['ESTOP'] });

  /** Tells of which folders it has notified since the last question. */
  function notifying() {
    let notified: string[] = [];
    let wake = () => {};
    const notifier = notifyByNotices(openPlainly, (dir) => {
      notified.push(dir);
      wake();
    });
    onTestFinished(() => notifier.close());
    const watch = (...dirs: readonly string[]) => {
      notified = [];
      notifier.watch(dirs.map(scopeAt));
      return notified;
    };
    const next = () =>
      new Promise<void>((resolve) => {
        wake = resolve;
      });
    return { notifier, watch, next };
  }

  test('says which folders it does not hear, and hears them when that has passed', () => {
    const dir = join(scopeDir(), 'x'.repeat(300));
    const { notifier, watch } = notifying();
    expect(watch(dir)).toEqual([]);
    expect([...notifier.deaf]).toEqual([[dir, 'ENAMETOOLONG']]);
    expect(watch()).toEqual([]);
    expect([...notifier.deaf]).toEqual([]);
  });

  test('watches only what is new when the list grows', () => {
    const [one, two] = [scopeDir(), scopeDir()];
    const { watch } = notifying();
    expect(watch(one)).toEqual([one]);
    expect(watch(one)).toEqual([]);
    expect(watch(one, two)).toEqual([two]);
  });

  describe('and mounts', () => {
    needs(mountsMissing);

    test('a folder that was mounted over is watched anew at the next look', async () => {
      const dir = scopeDir();
      const { watch, next } = notifying();
      watch(dir);
      mountTmpfs(dir, 'size=16k');
      expect(watch(dir)).toEqual([dir]);
      const notified = next();
      writeFileSync(join(dir, 'ESTOP'), '');
      await notified;
    });
  });
});
