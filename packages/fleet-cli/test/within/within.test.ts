/**
 * `fleet assert --within`: waits until the assertion is true, woken by changes and deadlines, and never
 * takes the end of its time for a pass.
 */
import { mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Document,
  inSeconds,
  makeFleet,
  place,
  spoil,
  spoilProfiles,
  unspoil,
} from '../support/fleet.ts';
import { type Live, startFleet } from '../support/live.ts';
import { NOTICED_MS, untilItWatches } from '../support/watching.ts';

/** Started, and known to wait. */
async function waiting(root: string, words: readonly string[], folders = 2): Promise<Live> {
  const live = startFleet(['assert', '--root', root, ...words, '--json']);
  await untilItWatches(live.pid, folders);
  return live;
}

async function ended(live: Live): Promise<{ code: number | null; document: Document }> {
  const { code } = await live.ended;
  return { code, document: JSON.parse(live.stdout()) };
}

/** Makes the change, and expects that it is noticed, and not found by chance later. */
async function endsAfter(live: Live, change: () => void): Promise<Document> {
  const startedAt = performance.now();
  change();
  const { code, document } = await ended(live);
  expect(performance.now() - startedAt).toBeLessThan(NOTICED_MS);
  expect(code).toBe(0);
  expect(document).toMatchObject({ holds: true, timed_out: false });
  return document;
}

describe('the wait ends when it becomes true', () => {
  it('at once where it is', () => {
    const { run, json } = makeFleet('lane-a');
    expect(run(['assert', 'running', '--within', '1h']).code).toBe(0);
    const { document } = json(['assert', 'running', '--within', '1h']);
    expect(document).toMatchObject({ holds: true, timed_out: false });
    expect(document.waited_ms).toBeLessThan(NOTICED_MS);
  });

  it('running: by a lift', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), '');
    const live = await waiting(root, ['running', '-p', 'lane-a', '--within', '1h']);
    await endsAfter(live, () => rmSync(sentinel('lane-a')));
  });

  it('paused: by a pause of the root', async () => {
    const { root, sentinel } = makeFleet('lane-a', 'lane-b');
    const live = await waiting(root, ['paused', '--within', '1h']);
    await endsAfter(live, () => place(sentinel(), { reason: 'now' }));
  });

  it('held-by and free-of: by the holder', async () => {
    const { root, run } = makeFleet('lane-a');
    const held = await waiting(root, ['held-by', 'deploy', '-p', 'lane-a', '--within', '1h']);
    await endsAfter(held, () => void run(['pause', '-p', 'lane-a', '--as', 'deploy']));
    run(['pause', '-p', 'lane-a', '--as', 'sre']);
    const free = await waiting(root, ['free-of', 'deploy', '-p', 'lane-a', '--within', '1h']);
    await endsAfter(free, () => void run(['resume', '-p', 'lane-a', '--as', 'deploy']));
  });

  it('running: by a deadline, although no file changes then', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    const at = inSeconds(2);
    place(sentinel('lane-a'), { expires_at: at });
    const live = await waiting(root, ['running', '-p', 'lane-a', '--within', '1h']);
    const { code, document } = await ended(live);
    const lateMs = Date.now() - Date.parse(at);
    expect(code).toBe(0);
    expect(document.holds).toBe(true);
    expect(lateMs).toBeGreaterThanOrEqual(0);
    expect(lateMs).toBeLessThan(NOTICED_MS);
  });

  it('when what could not be read is repaired', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    spoil(sentinel('lane-a'));
    const live = await waiting(root, ['paused', '-p', 'lane-a', '--within', '1h']);
    await endsAfter(live, () => {
      place(sentinel('lane-a'), { reason: 'whole' });
      unspoil(sentinel('lane-a'));
    });
  });

  it('when the folder of the profile is put in another’s place', async () => {
    const { root, folder, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), '');
    const live = await waiting(root, ['running', '-p', 'lane-a', '--within', '1h'], 3);
    const next = join(root, 'next');
    mkdirSync(next);
    await endsAfter(live, () => {
      renameSync(folder('lane-a'), join(root, 'last'));
      renameSync(next, folder('lane-a'));
    });
  });

  it('and what happens in the new folder is noticed as well', async () => {
    const { root, folder, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), '');
    const live = await waiting(root, ['running', '-p', 'lane-a', '--within', '1h'], 3);
    const next = join(root, 'next');
    mkdirSync(next);
    place(join(next, 'ESTOP'), 'torn {');
    renameSync(folder('lane-a'), join(root, 'last'));
    renameSync(next, folder('lane-a'));
    // Whoever began to wait now is through: until then, the first one had time to look.
    const other = await waiting(root, ['running', '-p', 'lane-a', '--within', '1h'], 3);
    const startedAt = performance.now();
    rmSync(sentinel('lane-a'));
    expect((await ended(other)).code).toBe(0);
    expect((await ended(live)).code).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(NOTICED_MS);
  });

  it('when the profile comes back, having been gone for a while', async () => {
    const { root, folder, sentinel } = makeFleet('lane-a', 'lane-b');
    place(sentinel('lane-a'), '');
    const live = await waiting(root, ['running', '-p', 'lane-a', '--within', '1h'], 3);
    rmSync(folder('lane-a'), { recursive: true });
    // Whoever begins now and sees it gone: until then, the first one had time to look.
    const other = startFleet([
      'assert',
      '--root',
      root,
      'running',
      '-p',
      'lane-a',
      '--within',
      '1h',
    ]);
    expect((await other.ended).code).toBe(2);
    await endsAfter(live, () => mkdirSync(folder('lane-a')));
  });

  it('without -p, a profile that comes meanwhile is judged as well', async () => {
    const { root, sentinel, run } = makeFleet('lane-a');
    place(sentinel('lane-a'), '');
    const live = await waiting(root, ['running', '--within', '1h'], 3);
    mkdirSync(join(root, 'profiles', 'lane-b'));
    place(sentinel('lane-b'), '');
    rmSync(sentinel('lane-a'));
    const other = await waiting(root, ['running', '--within', '1h'], 3);
    expect(live.stdout()).toBe('');
    const document = await endsAfter(other, () => void run(['resume', '-p', 'lane-b']));
    expect(document.judgements).toHaveLength(3);
    expect((await ended(live)).code).toBe(0);
  });
});

describe('the end of the time is never a pass', () => {
  it('5 where it is still false, with the state as it was then', () => {
    const { run, json } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    const words = ['assert', 'running', '-p', 'lane-a', '-p', 'lane-b', '--within', '1s'];
    const { code, stdout, stderr } = run(words);
    expect(code).toBe(5);
    expect(stdout).toMatch(/^FAIL {2}lane-a {2}paused by operator.*\nok {4}lane-b/);
    expect(stderr).toMatch(/^not running within \ds: lane-a\n$/);
    const { document } = json(words);
    expect(document).toMatchObject({ holds: false, timed_out: true });
    expect(document.waited_ms).toBeGreaterThanOrEqual(1000);
  });

  it('1 where nobody asked to wait', () => {
    const { run, json } = makeFleet('lane-a');
    expect(run(['assert', 'paused', '-p', 'lane-a']).code).toBe(1);
    const { document } = json(['assert', 'paused', '-p', 'lane-a']);
    expect(document).toMatchObject({ waited_ms: null, timed_out: false });
  });

  it('3 where it cannot be read then, also beside a profile that is certainly false', () => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    spoil(sentinel('lane-a'));
    expect(run(['assert', 'paused', '-p', 'lane-a', '--within', '1s']).code).toBe(3);
    const both = ['assert', 'paused', '-p', 'lane-a', '-p', 'lane-b', '--within', '1s'];
    expect(run(both).code).toBe(3);
  });

  it('3 where the profiles cannot be listed then', () => {
    const { run, root } = makeFleet();
    spoilProfiles(root);
    expect(run(['assert', 'running', '--within', '1s']).code).toBe(3);
  });

  it('2 where the profile is gone then: a folder that is not there is not one that is free', async () => {
    const { root, folder, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), '');
    const live = await waiting(root, ['running', '-p', 'lane-a', '--within', '3s'], 3);
    // At once: removed piece by piece, it would be a profile without a sentinel in between.
    renameSync(folder('lane-a'), join(root, 'elsewhere'));
    expect((await live.ended).code).toBe(2);
    expect(live.stderr()).toContain('there is no profile `lane-a`');
    expect(live.stdout()).toBe('');
  });
});

describe('what is mistaken is refused at once', () => {
  it.each([
    ['no duration', ['running', '--within', 'soon']],
    ['no time at all', ['running', '--within', '0']],
    ['an empty one', ['running', '--within', '']],
    ['two of them', ['running', '--within', '1h', '--within', '2h']],
    ['an unknown profile', ['paused', '-p', 'nope', '--within', '1h']],
    ['an unknown claim', ['frozen', '--within', '1h']],
  ])('%s', (_what, words) => {
    const { code, stderr } = makeFleet('lane-a').run(['assert', ...words]);
    expect(code).toBe(2);
    expect(stderr).toContain('NOT asserted');
  });
});

describe('with --allow-missing, a profile that does not exist yet', () => {
  const words = ['assert', 'paused', '-p', 'lane-new', '--allow-missing'];

  it('is waited for, and judged once it is there', async () => {
    const { root, folder, sentinel } = makeFleet('lane-a');
    const live = startFleet([...words, '--root', root, '--within', '1h']);
    mkdirSync(folder('lane-new'));
    place(sentinel('lane-new'), '');
    expect((await live.ended).code).toBe(0);
    expect(live.stdout()).toMatch(/^ok +lane-new/);
  });

  it('is 5 where it has not come, beside others as well, and is named', () => {
    const { run } = makeFleet('lane-a');
    run(['pause']);
    for (const more of [[], ['-p', 'lane-a']]) {
      const { code, stderr } = run([...words, ...more, '--within', '1s']);
      expect(code).toBe(5);
      expect(stderr).toContain('lane-new (there is no such profile)');
    }
  });

  it('is skipped where nobody waits', () => {
    const { run } = makeFleet('lane-a');
    run(['pause']);
    expect(run([...words, '-p', 'lane-a']).code).toBe(0);
  });
});
