/**
 * `fleet gate --wait`: woken by a lift, a deadline or a new folder, and by the end of its time.
 */
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { inSeconds, makeFleet, place } from '../support/fleet.ts';
import { type Live, startFleet, until } from '../support/live.ts';
import { NOTICED_MS, untilItWatches, watchesOf } from '../support/watching.ts';

/** Started, and known to wait: the folders that it watches are those of the profile. */
async function waiting(root: string, words: readonly string[] = []): Promise<Live> {
  const live = startFleet(['gate', '--root', root, ...words, '--', 'echo', 'admitted']);
  await untilItWatches(live.pid);
  return live;
}

async function wakeMs(live: Live, change: () => void): Promise<number> {
  const startedAt = performance.now();
  change();
  await live.prints('admitted');
  return performance.now() - startedAt;
}

describe('a wait ends when new work is admitted', () => {
  it('within 100 ms of the lift, at best of five, and always long before a sweep', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    const took: number[] = [];
    for (let round = 0; round < 5; round++) {
      place(sentinel(), '');
      const live = await waiting(root, ['-p', 'lane-a', '--wait', '1h']);
      took.push(await wakeMs(live, () => rmSync(sentinel())));
      expect((await live.ended).code).toBe(0);
      expect(live.stderr()).toBe('');
    }
    expect(Math.max(...took)).toBeLessThan(NOTICED_MS);
    expect(Math.min(...took)).toBeLessThan(100);
  });

  it('by a resume in the profile, while the root was never held', async () => {
    const { root, run } = makeFleet('lane-a');
    run(['pause', '-p', 'lane-a']);
    const live = await waiting(root, ['-p', 'lane-a', '--wait', '1h']);
    expect(await wakeMs(live, () => void run(['resume', '-p', 'lane-a']))).toBeLessThan(NOTICED_MS);
  });

  it('not by the lift of one of two holds', async () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    run(['pause']);
    run(['pause', '-p', 'lane-a']);
    const live = await waiting(root, ['-p', 'lane-a', '--wait', '1h']);
    run(['resume']);
    // Whoever waits for the root alone is through: the lift was noticed by everybody.
    const other = startFleet(['gate', '--root', root, '--wait', '1h', '--', 'echo', 'admitted']);
    await other.prints('admitted');
    expect(live.stdout()).toBe('');
    rmSync(sentinel('lane-a'));
    await live.prints('admitted');
  });

  it('when the user is put on the allowlist', async () => {
    const { root, run } = makeFleet();
    run(['pause']);
    const live = await waiting(root, ['--user', 'u1', '--wait', '1h']);
    expect(await wakeMs(live, () => void run(['pause', '--allow-user', 'u1']))).toBeLessThan(
      NOTICED_MS,
    );
  });

  it('when its deadline passes, although no file changes then', async () => {
    const { root, sentinel } = makeFleet();
    const at = inSeconds(2);
    place(sentinel(), { expires_at: at });
    const live = await waiting(root, ['--wait', '1h']);
    await live.prints('admitted');
    const lateMs = Date.now() - Date.parse(at);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(NOTICED_MS);
  });

  it('at once where nothing holds', async () => {
    const { root } = makeFleet();
    const live = startFleet(['gate', '--root', root, '--wait', '1h', '--', 'sh', '-c', 'exit 4']);
    expect((await live.ended).code).toBe(4);
  });
});

describe('a wait ends when time is up', () => {
  it('with 75 and the notice, though no file changes then', async () => {
    const { root, run, sentinel } = makeFleet();
    place(sentinel(), { reason: 'still' });
    const startedAt = performance.now();
    const live = startFleet(['gate', '--root', root, '--wait', '1s', '--', 'echo', 'ran']);
    expect((await live.ended).code).toBe(75);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_000);
    expect(live.stdout()).toBe('');
    expect(live.stderr()).toContain('and the time to wait is up');
    expect(live.stderr()).toContain('still');
    const { code, stdout } = run(['gate', '--wait', '1s', '--json', '--refused-code', '9']);
    expect(code).toBe(9);
    expect(JSON.parse(stdout).waited_ms).toBeGreaterThanOrEqual(1_000);
  });

  it('a time longer than any timer is a long time, and not none', async () => {
    const { root, sentinel } = makeFleet();
    place(sentinel(), '');
    const live = await waiting(root, ['--wait', '99999d']);
    expect(live.stdout()).toBe('');
    rmSync(sentinel());
    await live.prints('admitted');
  });

  it('a signal ends it, and nothing is run', async () => {
    const { root, sentinel } = makeFleet();
    place(sentinel(), '');
    const live = await waiting(root, ['--wait', '1h']);
    live.signal('SIGTERM');
    expect(await live.ended).toEqual({ code: null, signal: 'SIGTERM' });
    expect(live.stdout()).toBe('');
  });
});

describe('folders that are replaced while it waits', () => {
  it('a profile that is gone for a moment is not free, and its new folder is watched', async () => {
    const { root, sentinel, folder } = makeFleet('lane-a');
    place(sentinel('lane-a'), '');
    const live = await waiting(root, ['-p', 'lane-a', '--wait', '1h']);
    renameSync(folder('lane-a'), `${root}/old`);
    await until(() => watchesOf(live.pid).length === 2); // the root and profiles/
    expect(live.stdout()).toBe('');
    // Made elsewhere: between its folder and its sentinel it would be free.
    mkdirSync(`${root}/new`);
    place(`${root}/new/ESTOP`, '');
    renameSync(`${root}/new`, folder('lane-a'));
    await until(() => watchesOf(live.pid).length === 3);
    expect(live.stdout()).toBe('');
    expect(await wakeMs(live, () => rmSync(sentinel('lane-a')))).toBeLessThan(NOTICED_MS);
  });

  it('a profile that is swapped for a held one by a rename stays held', async () => {
    const { root, sentinel, folder } = makeFleet('lane-a', 'lane-b');
    place(sentinel('lane-a'), '');
    place(sentinel('lane-b'), 'the new one');
    const live = await waiting(root, ['-p', 'lane-a', '--wait', '1h']);
    renameSync(folder('lane-a'), `${root}/old`);
    renameSync(folder('lane-b'), folder('lane-a'));
    rmSync(`${root}/old/ESTOP`);
    await until(() => watchesOf(live.pid).length === 3);
    expect(live.stdout()).toBe('');
    expect(await wakeMs(live, () => rmSync(sentinel('lane-a')))).toBeLessThan(NOTICED_MS);
  });

  it('a link that is turned to a free folder admits', async () => {
    const { root } = makeFleet();
    for (const name of ['one', 'two']) mkdirSync(`${root}/${name}`);
    place(`${root}/one/ESTOP`, '');
    symlinkSync('../one', `${root}/profiles/lane-a`);
    const live = await waiting(root, ['-p', 'lane-a', '--wait', '1h']);
    symlinkSync('../two', `${root}/profiles/.next`);
    const turn = () => renameSync(`${root}/profiles/.next`, `${root}/profiles/lane-a`);
    expect(await wakeMs(live, turn)).toBeLessThan(NOTICED_MS);
  });

  it('a root that is gone is not free, and is heard when it comes back', async () => {
    const { root, sentinel } = makeFleet();
    const moved = `${root}-moved`;
    place(sentinel(), '');
    const live = await waiting(root, ['--wait', '1h']);
    const [itself] = watchesOf(live.pid);
    renameSync(root, moved);
    rmSync(`${moved}/ESTOP`);
    // Instead of the root, the folder that it was in.
    await until(() => {
      const [watch, ...others] = watchesOf(live.pid);
      return watch !== undefined && watch !== itself && others.length === 0;
    });
    expect(live.stdout()).toBe('');
    expect(await wakeMs(live, () => renameSync(moved, root))).toBeLessThan(NOTICED_MS);
  });
});
