/**
 * `fleet status --watch` off a terminal: each new state once, for programs and for logs.
 * What it shows of gateways is `gateways.test.ts`.
 */
import { mkdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type Document,
  inSeconds,
  LAUNCHER,
  makeFleet,
  place,
  spoil,
  temporaryFolder,
} from '../support/fleet.ts';
import { type Live, startFleet, startProcess, until } from '../support/live.ts';
import { NOTICED_MS, untilItWatches } from '../support/watching.ts';

const documentsOf = (live: Live): Document[] =>
  live
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const untilDocuments = (live: Live, count: number): Promise<void> =>
  until(() => documentsOf(live).length >= count);

/** At once: a file that is written in its place may be seen empty. */
function replace(path: string, body: unknown): void {
  place(`${path}.next`, body);
  renameSync(`${path}.next`, path);
}

async function watching(root: string, words: readonly string[], folders = 2): Promise<Live> {
  const live = startFleet(['status', '--root', root, '--watch', ...words]);
  await untilItWatches(live.pid, folders);
  return live;
}

describe('--json', () => {
  it('is one document to a line, each as `fleet status --json` has it', async () => {
    const { root, run, json } = makeFleet('lane-a');
    const live = await watching(root, ['--json']);
    await untilDocuments(live, 1);
    expect(documentsOf(live)).toEqual([json(['status']).document]);
    run(['pause', '-p', 'lane-a', '--reason', 'one\ntwo\u2028three']);
    await untilDocuments(live, 2);
    expect(documentsOf(live)[1]).toEqual(json(['status']).document);
    run(['resume', '-p', 'lane-a']);
    await untilDocuments(live, 3);
    expect(documentsOf(live)[2]).toEqual(documentsOf(live)[0]);
    expect(live.stderr()).toBe('');
  });

  it('says nothing where nothing has changed', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    const body = { holds: [{ id: 'x', reason: 'a', expires_at: inSeconds(3600) }] };
    replace(sentinel('lane-a'), body);
    const live = await watching(root, ['--json'], 3);
    await untilDocuments(live, 1);
    utimesSync(sentinel('lane-a'), 1, 1);
    replace(sentinel('lane-a'), body);
    place(join(root, 'profiles', 'a-file'), '');
    replace(sentinel(), { holds: [{ id: 'y', reason: 'the end' }] });
    await live.prints('the end');
    expect(documentsOf(live).map(({ state }) => state)).toEqual(['free', 'paused']);
  });

  it('says that a deadline has passed, although no file changes then', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    const at = inSeconds(2);
    place(sentinel('lane-a'), { expires_at: at });
    const live = await watching(root, ['--json'], 3);
    await untilDocuments(live, 2);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(at));
    expect(documentsOf(live).map(({ profiles_paused }) => profiles_paused)).toEqual([1, 0]);
  });

  it('has a profile from when it comes until it goes, and what holds it', async () => {
    const { root, sentinel } = makeFleet();
    const live = await watching(root, ['--json'], 1);
    mkdirSync(join(root, 'profiles', 'lane-a'), { recursive: true });
    await until(() => documentsOf(live).at(-1)?.profiles === 1);
    place(sentinel('lane-a'), '');
    await until(() => documentsOf(live).at(-1)?.profiles_paused === 1);
    rmSync(join(root, 'profiles', 'lane-a'), { recursive: true });
    await until(() => documentsOf(live).at(-1)?.profiles === 0);
  });

  it('with --only, shows those and counts all', async () => {
    const { root, run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    const live = await watching(root, ['--json', '--only', 'running'], 3);
    await untilDocuments(live, 1);
    const [document] = documentsOf(live);
    expect(document).toMatchObject({ only: 'running', profiles: 2, profiles_paused: 1 });
    expect(document.lanes.map(({ profile }: Document) => profile)).toEqual(['lane-b']);
  });
});

describe('text', () => {
  it('is a block for each state, with the time at which it began', async () => {
    const { root, run } = makeFleet('lane-a');
    const live = await watching(root, []);
    await live.prints('lane-a');
    run(['pause', '--reason', 'bad deploy']);
    await live.prints('bad deploy');
    const blocks = live.stdout().split(/\n *\n(?=at )/);
    expect(blocks).toHaveLength(2);
    expect(blocks[0]).toMatch(/^at \d{4}-.* UTC\nrunning: nothing holds/);
    expect(blocks[1]).toMatch(/^at \d{4}-.* UTC\nPAUSED: the root is held/);
    expect(live.stdout()).not.toContain('\u001b');
  });

  it('has what cannot be read on stderr', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    const live = await watching(root, [], 3);
    spoil(sentinel('lane-a'));
    await live.complains('lane-a cannot be read, and counts as held');
    await live.prints('UNREADABLE');
  });
});

describe('a folder that is put in another’s place', () => {
  it('is the one that is watched from then on', async () => {
    const { root, folder, sentinel } = makeFleet('lane-a');
    const live = await watching(root, ['--json', '-p', 'lane-a'], 3);
    const next = join(root, 'next');
    mkdirSync(next);
    place(join(next, 'ESTOP'), { reason: 'in the new one' });
    renameSync(folder('lane-a'), join(root, 'last'));
    renameSync(next, folder('lane-a'));
    await live.prints('in the new one');
    const startedAt = performance.now();
    place(sentinel('lane-a'), { reason: 'and then' });
    await live.prints('and then');
    expect(performance.now() - startedAt).toBeLessThan(NOTICED_MS);
  });

  it('as the whole fleet may be', async () => {
    const fleets = temporaryFolder();
    for (const name of ['fleet', 'next']) {
      mkdirSync(join(fleets, name, 'profiles/lane-a'), { recursive: true });
    }
    const live = await watching(join(fleets, 'fleet'), ['--json'], 3);
    renameSync(join(fleets, 'fleet'), join(fleets, 'last'));
    renameSync(join(fleets, 'next'), join(fleets, 'fleet'));
    place(join(fleets, 'fleet/profiles/lane-a/ESTOP'), { reason: 'in the new one' });
    await live.prints('in the new one');
  });
});

describe('the end', () => {
  it('by Ctrl-C is a success', async () => {
    const { root } = makeFleet('lane-a');
    const live = await watching(root, ['--json']);
    await live.prints('\n');
    live.signal('SIGINT');
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(documentsOf(live)).toHaveLength(1);
  });

  it('by another signal is that signal', async () => {
    const { root } = makeFleet('lane-a');
    const live = await watching(root, []);
    live.signal('SIGTERM');
    expect(await live.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it.each([
    ['0 of a fleet that could be read', false, 0],
    ['3 of one that could not', true, 3],
  ])(
    'by a reader that goes away is quiet, with the last code: %s',
    async (_what, isSpoiled, code) => {
      const { root, sentinel } = makeFleet('lane-a', 'lane-b');
      if (isSpoiled) spoil(sentinel('lane-b'));
      const bodyAt = (at: number) => ({ reason: `now ${at}` });
      const line = `"$@" | head -1; echo "ended \${PIPESTATUS[0]}"`;
      const words = [process.execPath, LAUNCHER, 'status', '--root', root, '--watch', '--json'];
      const live = startProcess('bash', ['-c', line, 'bash', ...words]);
      await live.prints('\n');
      // The first change may still be taken by the pipe, while its reader is ending.
      replace(sentinel('lane-a'), bodyAt(0));
      let changes = 0;
      await until(() => {
        if (changes++ % 10 === 9) replace(sentinel('lane-a'), bodyAt(changes));
        return /^ended/m.test(live.stdout());
      });
      expect(live.stdout()).toMatch(new RegExp(`^\\{.*\\}\nended ${code}\n$`));
      expect(live.stderr()).not.toContain('EPIPE');
    },
  );

  it('2 when the profile that is watched is gone for good', async () => {
    const { root, folder } = makeFleet('lane-a', 'lane-b');
    const live = await watching(root, ['--json', '-p', 'lane-a'], 3);
    rmSync(folder('lane-a'), { recursive: true });
    expect(await live.ended).toEqual({ code: 2, signal: null });
    expect(live.stderr()).toContain('no status: there is no profile `lane-a`');
    expect(documentsOf(live)).toHaveLength(1);
  });
});

describe('what is mistaken is refused before anything is shown', () => {
  it.each([
    ['an unknown lane', ['--watch', '-p', 'nope']],
    ['a watch that says nothing', ['--watch', '--quiet']],
    ['a state that is none', ['--only', 'frozen']],
    ['an empty state', ['--only', '']],
    ['two states', ['--only', 'paused', '--only', 'running']],
  ])('%s', (_what, words) => {
    const { code, stdout, stderr } = makeFleet('lane-a').run(['status', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('no status');
  });
});

it.each([['--watch'], ['--watch', '--json']])(
  'status %s ends when its reader goes away, although nothing changes',
  async (...words) => {
    const { root } = makeFleet('lane-a');
    const line = `"$@" | head -1; echo "ended \${PIPESTATUS[0]}"`;
    const call = [process.execPath, LAUNCHER, 'status', '--root', root, ...words];
    const live = startProcess('bash', ['-c', line, 'bash', ...call]);
    await live.ended;
    expect(live.stdout()).toMatch(/\nended 0\n$/);
    expect(live.stderr()).not.toContain('EPIPE');
  },
);
