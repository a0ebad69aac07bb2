/**
 * `fleet window` at a real terminal: Ctrl-C, Ctrl-\, Ctrl-Z and `fg`.
 */
import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { exists, LAUNCHER, makeFleet } from '../support/fleet.ts';
import { COUNTER, holdOfWindow, type Live, startProcess, stateOf, until } from '../support/live.ts';

const python = spawnSync('python3', ['-c', 'import pty']).status === 0;
/** Runs a command at a new terminal; our input is its keys. Says last how it ended. */
const TERMINAL = `import os, pty, sys
status = pty.spawn(sys.argv[1:])
print('ended', os.waitstatus_to_exitcode(status), flush=True)`;

const atTerminal = (words: readonly string[]): Live =>
  startProcess('python3', ['-c', TERMINAL, ...words], { env: { TERM: 'dumb', PS1: '$ ' } });

const fleetWords = (words: readonly string[]): string[] => [process.execPath, LAUNCHER, ...words];
const quoted = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';
const CTRL_Z = '\u001a';
const CTRL_BACKSLASH = '\u001c';

describe.skipIf(!python)('at a terminal (needs python3 to make one)', () => {
  it.each([
    ['Ctrl-C', CTRL_C, 'SIGINT'],
    ['Ctrl-\\', CTRL_BACKSLASH, 'SIGQUIT'],
  ])(
    '%s reaches the command exactly once, and the hold stands until it has gone',
    async (_key, key, signal) => {
      const { root, sentinel } = makeFleet();
      const live = atTerminal(fleetWords(['window', '--root', root, '--', ...COUNTER]));
      await live.prints('ready');
      const { actor } = await holdOfWindow(sentinel());
      live.write(key);
      await live.prints(`got ${signal}`);
      expect(exists(sentinel())).toBe(true);
      process.kill(actor.pid, 'SIGUSR1');
      await live.prints('counts');
      expect(live.stdout()).toContain(`counts {"${signal}":1}`);
      await live.prints('ended 9');
      expect(exists(sentinel())).toBe(false);
    },
  );

  it('kill -INT to fleet alone reaches it exactly once, at a terminal too', async () => {
    const { root, sentinel } = makeFleet();
    const live = atTerminal(fleetWords(['window', '--root', root, '--', ...COUNTER]));
    await live.prints('ready');
    const { actor } = await holdOfWindow(sentinel());
    process.kill(actor.pid, 'SIGINT');
    await live.prints('got SIGINT');
    process.kill(actor.pid, 'SIGUSR1');
    await live.prints('counts');
    expect(live.stdout()).toContain('counts {"SIGINT":1}');
    await live.prints('ended 9');
  });

  it('a script that Ctrl-C ends the command of ends, too; the hold is lifted first', async () => {
    const { root, sentinel } = makeFleet();
    const line = `${quoted(fleetWords(['window', '--root', root, '--', 'sh', '-c', 'echo ready; exec sleep 1000']))}; echo went on`;
    const live = atTerminal(['bash', '-c', line]);
    await live.prints('ready');
    live.write(CTRL_C);
    await live.prints('ended -2');
    expect(live.stdout()).not.toContain('went on');
    expect(live.stdout()).toContain('lifted its hold');
    expect(exists(sentinel())).toBe(false);
  });

  it('a script whose command ends by itself after Ctrl-C goes on', async () => {
    const { root } = makeFleet();
    const command = 'trap "exit 5" INT; echo ready; while :; do sleep 0.1; done';
    const line = `${quoted(fleetWords(['window', '--root', root, '--', 'bash', '-c', command]))}; echo "status $?"`;
    const live = atTerminal(['bash', '-c', line]);
    await live.prints('ready');
    live.write(CTRL_C);
    await live.prints('status 5');
    await live.prints('ended 0');
  });

  it('in a shell it is 130 after Ctrl-C, as for any command', async () => {
    const { root } = makeFleet();
    const live = atTerminal(['bash', '--norc', '--noprofile', '-i']);
    live.write(
      `${quoted(fleetWords(['window', '--root', root, '--', 'sh', '-c', 'echo rea""dy; exec sleep 1000']))}\n`,
    );
    await live.prints('ready');
    live.write(CTRL_C);
    await live.prints('lifted its hold');
    live.write('echo status=$?\n');
    await live.prints('status=130');
    live.write('exit\n');
    await live.prints('ended');
  });

  it('Ctrl-Z stops it all, past its deadline; fg continues it all, and says how long it stood open', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = atTerminal(['bash', '--norc', '--noprofile', '-i']);
    const words = [
      'window',
      '--root',
      root,
      '--ttl',
      '2s',
      '--',
      'sh',
      '-c',
      'echo p""id=$$; exec cat',
    ];
    live.write(`${quoted(fleetWords(words))}\n`);
    await live.prints('pid=');
    const command = Number(/pid=(\d+)/.exec(live.stdout())?.[1]);
    const hold = await holdOfWindow(sentinel());
    live.write(CTRL_Z);
    await live.prints('Stopped');
    await until(() => stateOf(command) === 'T' && stateOf(hold.actor.pid) === 'T');
    await until(() => run(['assert', 'running']).code === 0);
    live.write('fg\n');
    await live.prints('STOOD OPEN');
    await live.prints('armed again');
    expect(run(['assert', 'paused']).code).toBe(0);
    live.write('typed\n');
    await live.prints('typed\r\ntyped');
    live.write(CTRL_D);
    await live.prints('lifted its hold');
    live.write('echo status=$?\n');
    await live.prints('status=0');
    expect(exists(sentinel())).toBe(false);
    live.write('exit\n');
    await live.prints('ended');
  });

  it('the terminal going away reaches the command once, and the hold is lifted', async () => {
    const { root, sentinel } = makeFleet();
    const live = atTerminal(
      fleetWords(['window', '--root', root, '--', 'sh', '-c', 'echo ready; exec sleep 1000']),
    );
    await live.prints('ready');
    const { actor } = await holdOfWindow(sentinel());
    live.signal('SIGKILL');
    await until(() => !exists(sentinel()));
    await until(() => stateOf(actor.pid) === null);
  });
});
