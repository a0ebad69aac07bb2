import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Gate, openGate } from '../../src/index.ts';
import {
  type GatewayAdapter,
  type Run,
  type TestDoorsOptions,
  testDoors,
} from '../../src/kit/index.ts';

type Adapter = GatewayAdapter<Gate>;

/** A gateway that consists of a gate with a scheduler as its only door. */
function smallAdapter(more: Partial<Adapter> = {}) {
  const homes: string[] = [];
  const seen = { homes, stopped: 0 };
  const adapter: Adapter = {
    start({ home }) {
      homes.push(home);
      return openGate({ home, link: false });
    },
    stop(gate) {
      seen.stopped += 1;
      gate.close();
    },
    doors: {
      turn: null,
      cron: async (gate) => gate.dispatch('cron'),
      'cron-misfire': null,
      'cron-webhook': null,
      kanban: null,
    },
    work: null,
    control: null,
    link: null,
    begun: null,
    ...more,
  };
  return { adapter, seen };
}

/** A runner that stores its tests and runs them on demand. */
function collect(adapter: Adapter, how: { after: boolean } & Omit<TestDoorsOptions, 'after'>) {
  const cases = new Map<string, Run>();
  const skipped: string[] = [];
  const last: (() => Promise<void>)[] = [];
  const { after, ...options } = how;
  const plan = testDoors(adapter, {
    test: (title, run) => cases.set(title, run),
    skip: (title) => skipped.push(title),
    ...(after ? { after: (stop) => last.push(stop) } : {}),
    ...options,
  });
  return {
    plan,
    titles: [...cases.keys()],
    skipped,
    stop: async () => {
      for (const stop of last) await stop();
    },
    async run(title: string): Promise<unknown> {
      const found = [...cases].find(([it]) => it.includes(title))?.[1];
      if (found === undefined) throw new Error(`no case ${title}`);
      return found().catch((error: unknown) => error);
    },
  };
}

describe('what is not there', () => {
  it('is skipped by that name, and in the list of what was not tested', () => {
    const { plan, titles, skipped } = collect(smallAdapter().adapter, { after: false });
    expect(plan).toEqual({
      tested: ['cron'],
      absent: 'turn cron-misfire cron-webhook kanban work control link begun'.split(' '),
    });
    expect(titles.filter((title) => !title.startsWith('cron:'))).toEqual([]);
    expect(skipped).toEqual([
      ...plan.absent.map((door) => `${door}: not tested, the adapter has none`),
      expect.stringMatching(/^cron: begins nothing after a hold.*the adapter has no `begun`$/),
    ]);
  });

  it('is skipped by the context of the runner, where no other way was given', async () => {
    const cases = new Map<string, Run>();
    testDoors(smallAdapter().adapter, { test: (title, run) => cases.set(title, run) });
    const run = cases.get('kanban: not tested, the adapter has none');
    const skips: string[] = [];
    await run?.({ skip: (why: string) => skips.push(why) });
    expect(skips).toEqual(['the adapter has none']);
  });

  it('never passes: in a runner that cannot skip, the case fails', async () => {
    const cases = new Map<string, Run>();
    testDoors(smallAdapter().adapter, { test: (title, run) => cases.set(title, run) });
    const run = cases.get('kanban: not tested, the adapter has none');
    await expect(run?.()).rejects.toMatchObject({
      door: 'kanban',
      hint: expect.stringContaining('`skip`'),
    });
  });

  it('is a case that fails, where the adapter forgot to say so', async () => {
    const { turn: _, ...doors } = smallAdapter().adapter.doors;
    const forgetful = smallAdapter({ doors: doors as Adapter['doors'] }).adapter;
    const { plan, run } = collect(forgetful, { after: false });
    expect(plan.absent).toContain('turn');
    expect(await run('turn: must be in the adapter')).toMatchObject({
      code: 'DOOR_FAILED',
      door: 'turn',
      message: expect.stringContaining('does not define `turn`'),
    });
  });

  it('a door of one’s own is tested and listed by its name', () => {
    const ownDoors = { fax: async () => true };
    const { plan, titles } = collect(smallAdapter({ ownDoors }).adapter, { after: false });
    expect(plan.tested).toEqual(['cron', 'fax']);
    expect(titles).toContain('fax: is held by a hold at the root, and opens with its lift');
  });
});

describe('the gateway under test', () => {
  it('serves all cases where the runner says when they are over', async () => {
    const { adapter, seen } = smallAdapter();
    const { run, stop } = collect(adapter, { after: true });
    expect(await run('at the root')).toBeUndefined();
    expect(await run('at the profile')).toBeUndefined();
    expect(seen).toMatchObject({ stopped: 0, homes: [expect.any(String)] });
    await stop();
    expect(seen.stopped).toBe(1);
    expect(existsSync(seen.homes[0] ?? '')).toBe(false);
    await stop();
    expect(seen.stopped).toBe(1);
  });

  it('serves one case where it does not', async () => {
    const { adapter, seen } = smallAdapter();
    const { run } = collect(adapter, { after: false });
    await run('at the root');
    await run('at the profile');
    expect(seen.stopped).toBe(2);
    expect(new Set(seen.homes).size).toBe(2);
    expect(seen.homes.filter((home) => existsSync(home))).toEqual([]);
  });

  it('is started anew after a case that failed', async () => {
    let guarded = false;
    const { adapter, seen } = smallAdapter();
    const cron = async (gate: Gate) => !guarded || gate.dispatch('cron');
    const { run, stop } = collect(
      { ...adapter, doors: { ...adapter.doors, cron } },
      { after: true },
    );
    expect(await run('at the root')).toMatchObject({ code: 'DOOR_FAILED', door: 'cron' });
    expect(seen.stopped).toBe(1);
    guarded = true;
    expect(await run('at the root')).toBeUndefined();
    await stop();
    expect(seen.homes).toHaveLength(2);
  });

  it('is one at a time, however many cases a runner begins at once', async () => {
    let running = 0;
    let most = 0;
    const { adapter } = smallAdapter();
    const start: Adapter['start'] = (fleet) => {
      running += 1;
      most = Math.max(most, running);
      return adapter.start(fleet);
    };
    const stop: Adapter['stop'] = (gate) => {
      running -= 1;
      return adapter.stop(gate);
    };
    const { run } = collect({ ...adapter, start, stop }, { after: false });
    const failures = await Promise.all(
      ['nothing is armed', 'at the root', 'at the profile', 'both root'].map(run),
    );
    expect(failures).toEqual([undefined, undefined, undefined, undefined]);
    expect([running, most]).toEqual([0, 1]);
  });

  it('that hangs is said to hang, and at what', async () => {
    const hangs = () => new Promise<never>(() => {});
    const { adapter } = smallAdapter();
    const doors = { ...adapter.doors, cron: hangs };
    const failure = await collect({ ...adapter, doors }, { after: false, patienceMs: 50 }).run(
      'root',
    );
    expect(failure).toMatchObject({
      door: 'cron',
      message: expect.stringContaining('did not answer within 0.05 s'),
    });
    const slow = collect({ ...adapter, start: hangs }, { after: false, patienceMs: 50 });
    expect(await slow.run('root')).toMatchObject({
      door: 'start',
      hint: expect.not.stringContaining('FIFO'),
    });
    const stuck = collect({ ...adapter, stop: hangs }, { after: false, patienceMs: 50 });
    expect(await stuck.run('root')).toMatchObject({
      door: 'stop',
      hint: expect.stringMatching(/^close what `start` has opened/),
    });
  });

  it('that does not start, or throws, fails the case with its own error', async () => {
    const broken = () => Promise.reject(new Error('no port'));
    const { adapter } = smallAdapter();
    const unstarted = collect({ ...adapter, start: broken }, { after: true });
    expect(await unstarted.run('root')).toMatchObject({ message: 'no port' });
    await unstarted.stop();
    const doors = { ...adapter.doors, cron: broken };
    const stuck = () => Promise.reject(new Error('stuck'));
    const throwing = collect({ ...adapter, doors, stop: stuck }, { after: true });
    expect(await throwing.run('root')).toMatchObject({ message: 'no port' });
    const unstopped = collect({ ...adapter, stop: stuck }, { after: false });
    expect(await unstopped.run('root')).toMatchObject({ message: 'stuck' });
  });
});

describe('as it is built, in the runner of Node', () => {
  /** The same small gateway in a separate file; `guard` is the code that asks its door. */
  async function runAlone(guard: string): Promise<{ code: number | null; output: string }> {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-kit-alone-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, 'doors.test.mjs');
    const urlOf = (path: string) => new URL(`../../dist/${path}`, import.meta.url).href;
    writeFileSync(
      file,
      `import { openGate } from '${urlOf('index.js')}';
      import { testDoors } from '${urlOf('kit/index.js')}';
      const none = { turn: null, 'cron-misfire': null, 'cron-webhook': null, kanban: null };
      testDoors({
        start: ({ home }) => openGate({ home, link: false }),
        stop: (gate) => gate.close(),
        doors: { ...none, cron: async (gate) => ${guard} },
        work: null,
        control: null,
        link: null,
        begun: null,
      });`,
    );
    // Otherwise the child would report to the test run that started it.
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, [file], { env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const [code] = await once(child, 'close');
    return { code: code as number | null, output };
  }

  it('a gateway that asks passes', async () => {
    const { code, output } = await runAlone(`gate.dispatch('cron')`);
    expect(output).toContain('cron: is held by a hold at the root, and opens with its lift');
    expect(output).toContain('turn: not tested, the adapter has none');
    expect(output).toMatch(/^. skipped 9$/m);
    expect(output).toMatch(/fail 0/);
    expect(code).toBe(0);
  });

  it('a gateway that does not ask fails, and its author reads what to do', async () => {
    const { code, output } = await runAlone('true');
    expect(output).toContain('a hold stands at the root, but work began at `cron` anyway');
    expect(output).toContain('to do: ask `cronDoor(gate).tick()`');
    expect(code).toBe(1);
  });
});
