/**
 * Which signals reach the command of `fleet window`, how often, and that the hold outlives them.
 * What a terminal does is `terminal.test.ts`; the rules are the same for `fleet gate`.
 */
import { describe, expect, it } from 'vitest';
import { exists, LAUNCHER, makeFleet } from '../support/fleet.ts';
import {
  COUNTER,
  holdOfWindow,
  type Live,
  startFleet,
  startProcess,
  until,
} from '../support/live.ts';

const SIGNALS: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'];

async function counting(words: readonly string[]): Promise<Live> {
  const live = startFleet([...words, '--', ...COUNTER]);
  await live.prints('ready');
  return live;
}

/**
 * What the command got so far. SIGUSR1 goes the same way as what came before it, and is decided on
 * later, so that nothing is under way any more when it arrives.
 */
async function countsOf(live: Live): Promise<unknown> {
  live.signal('SIGUSR1');
  await live.prints('counts');
  return JSON.parse(/counts (.*)/.exec(live.stdout())?.[1] ?? '');
}

describe.each(SIGNALS)('%s', (signal) => {
  it('sent to fleet alone reaches the command exactly once', async () => {
    const { root, sentinel } = makeFleet();
    const live = await counting(['window', '--root', root]);
    live.signal(signal);
    await live.prints(`got ${signal}`);
    expect(exists(sentinel())).toBe(true);
    expect(await countsOf(live)).toEqual({ [signal]: 1 });
    expect(await live.ended).toEqual({ code: 9, signal: null });
    expect(exists(sentinel())).toBe(false);
  });

  it('sent to the whole group reaches the command exactly once', async () => {
    const { root, sentinel } = makeFleet();
    const live = await counting(['window', '--root', root]);
    live.signalGroup(signal);
    await live.prints(`got ${signal}`);
    expect(exists(sentinel())).toBe(true);
    expect(await countsOf(live)).toEqual({ [signal]: 1 });
    expect(await live.ended).toEqual({ code: 9, signal: null });
  });
});

describe('signals to the group and to fleet alone', () => {
  it('each is told apart, one after the other', async () => {
    const { root } = makeFleet();
    const live = await counting(['window', '--root', root]);
    live.signalGroup('SIGTERM');
    await live.prints('got SIGTERM');
    live.signal('SIGINT');
    await live.prints('got SIGINT');
    live.signalGroup('SIGUSR2');
    await live.prints('got SIGUSR2');
    expect(await countsOf(live)).toEqual({ SIGTERM: 1, SIGINT: 1, SIGUSR2: 1 });
  });

  it('a command with a group of its own gets what only our group got', async () => {
    const { root } = makeFleet();
    // As a shell with job control does.
    const own = `import os, sys; os.setpgid(0, 0); os.execvp(sys.argv[1], sys.argv[1:])`;
    const live = startFleet(['window', '--root', root, '--', 'python3', '-c', own, ...COUNTER]);
    await live.prints('ready');
    live.signalGroup('SIGTERM');
    await live.prints('got SIGTERM');
    expect(await countsOf(live)).toEqual({ SIGTERM: 1 });
  });

  it('`timeout`, which signals its child and then the whole group, is one signal to the command', async () => {
    const { root, sentinel } = makeFleet();
    const fleet = [process.execPath, LAUNCHER, 'window', '--root', root, '--', ...COUNTER];
    const live = startProcess('timeout', ['3', ...fleet]);
    await live.prints('ready');
    const { actor } = await holdOfWindow(sentinel());
    await live.prints('got SIGTERM');
    process.kill(actor.pid, 'SIGUSR1');
    await live.prints('counts');
    // It continues what it ends, in case that was stopped.
    const counts = /^counts (.*)$/m.exec(live.stdout())?.[1] ?? '{}';
    const { SIGCONT: _, ...others } = JSON.parse(counts) as Record<string, number>;
    expect(others).toEqual({ SIGTERM: 1 });
    await live.ended;
    expect(exists(sentinel())).toBe(false);
  });

  it('gate hands them on alike', async () => {
    const { root } = makeFleet();
    const live = await counting(['gate', '--root', root]);
    live.signalGroup('SIGINT');
    await live.prints('got SIGINT');
    live.signal('SIGTERM');
    await live.prints('got SIGTERM');
    expect(await countsOf(live)).toEqual({ SIGINT: 1, SIGTERM: 1 });
    expect(await live.ended).toEqual({ code: 9, signal: null });
  });
});

describe('a command that a signal ends', () => {
  it.each([
    ['SIGTERM', 143],
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGQUIT', 131],
    ['SIGUSR1', 138],
  ] as const)(
    '%s to fleet alone: its hold is lifted, and the status is %d',
    async (signal, code) => {
      const { root, sentinel } = makeFleet();
      const line = 'ulimit -c 0; echo ready; exec sleep 1000';
      const live = startFleet(['window', '--root', root, '--', 'sh', '-c', line]);
      await live.prints('ready');
      live.signal(signal);
      expect(await live.ended).toEqual({ code, signal: null });
      expect(live.stderr()).toContain('lifted its hold on the whole fleet');
      expect(live.stderr()).not.toContain('Debugger');
      expect(exists(sentinel())).toBe(false);
    },
  );

  it('the hold stands until it has gone, however long it takes its time', async () => {
    const { root, sentinel } = makeFleet();
    const line =
      'trap "echo tidying; read -r _; exit 4" TERM; echo ready; while :; do sleep 0.1; done';
    const live = startFleet(['window', '--root', root, '--', 'bash', '-c', line]);
    await live.prints('ready');
    live.signal('SIGTERM');
    await live.prints('tidying');
    live.signal('SIGTERM');
    live.signal('SIGHUP');
    const hold = await holdOfWindow(sentinel());
    expect(hold.holder).toMatch(/^window-/);
    live.write('done\n');
    expect(await live.ended).toEqual({ code: 4, signal: null });
    expect(exists(sentinel())).toBe(false);
  });
});

describe('nothing of fleet is left behind', () => {
  it('after a kill -9 every process ends once the command has', async () => {
    const { root } = makeFleet();
    const live = startFleet(['window', '--root', root, '--', 'sh', '-c', 'echo ready; cat']);
    await live.prints('ready');
    live.signal('SIGKILL');
    live.endInput();
    expect(await live.ended).toEqual({ code: null, signal: 'SIGKILL' });
    await until(() => !hasMembers(live.pid));
  });

  it('after an ordinary end, too', async () => {
    const { root } = makeFleet();
    const live = startFleet(['window', '--root', root, '--', 'true']);
    await live.ended;
    await until(() => !hasMembers(live.pid));
  });
});

function hasMembers(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}
