/**
 * A restart is refused from inside the gateway that it would restart, however well that is hidden.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { openRegister } from '@fleet-estop/ledger';
import { INSIDE_GATEWAY, insideEntry } from '@fleet-estop/protocol';
import { here, markOf } from '@fleet-estop/sentinel-core';
import { expect, it, onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import { refuseFromInside } from '../../src/verbs/restart/inside.ts';
import { exists, LAUNCHER, makeFleet } from '../support/fleet.ts';
import { startProcess } from '../support/live.ts';
import { setMeans, superviseGateway, untilServed } from '../support/restartable.ts';
import { startWatcher } from '../support/watcher.ts';

const GATEWAY = await bundleFile(
  fileURLToPath(new URL('../support/gateway-process.ts', import.meta.url)),
);

const OTHER = { instance: 'i-other', pid: 4_194_304, pidNamespace: null };
const refusal = (...args: Parameters<typeof refuseFromInside>): string => {
  try {
    refuseFromInside(...args);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

it('from outside it is not refused', () => {
  const fleet = makeFleet('lane-a');
  expect(refusal([OTHER], [fleet.folder('lane-a')], {})).toBe('');
});

it('a parent of this process is a sign', () => {
  const parent = { instance: 'i', pid: process.ppid, pidNamespace: null };
  expect(refusal([OTHER, parent], [], {})).toContain('it is a parent of this process');
});

it('a process of the same number in another id namespace is none', () => {
  const elsewhere = { instance: 'i', pid: process.ppid, pidNamespace: 'pid:[1]' };
  expect(refusal([elsewhere], [], {})).toBe('');
});

it('the marker in the environment is a sign, and the marker of another gateway is none', () => {
  const marker = [
    insideEntry({ pid: 12, start: '34', instance: 'i-other' }),
    insideEntry({ pid: 77, start: '', instance: 'i with: signs' }),
  ].join(' ');
  expect(refusal([OTHER], [], { [INSIDE_GATEWAY]: marker })).toContain(
    `${INSIDE_GATEWAY} names it`,
  );
  const colons = { ...OTHER, instance: 'i with: signs' };
  expect(refusal([colons], [], { [INSIDE_GATEWAY]: marker })).toContain(
    `${INSIDE_GATEWAY} names it`,
  );
  expect(refusal([{ ...OTHER, instance: 'new' }], [], { [INSIDE_GATEWAY]: marker })).toBe('');
});

it('a marker that names the living process of a gateway is a sign, whatever the watcher calls it', () => {
  const child = spawn('sleep', ['1000']);
  onTestFinished(() => void child.kill());
  const pid = child.pid ?? 0;
  const start = markOf(pid)?.birth ?? '';
  const gateway = { instance: 'i.1', pid, pidNamespace: here().pids };
  const marked = (begun: string) => ({
    [INSIDE_GATEWAY]: insideEntry({ pid, start: begun, instance: 'i' }),
  });
  expect(refusal([OTHER, gateway], [], marked(start))).toContain(`${INSIDE_GATEWAY} names it`);
  expect(refusal([OTHER, gateway], [], marked(`${start}1`))).toBe('');
  const elsewhere = { ...gateway, pidNamespace: 'pid:[1]' };
  expect(refusal([OTHER, elsewhere], [], marked(start))).toBe('');
});

it('work in hand that this process, or a parent of it, does is a sign', () => {
  const fleet = makeFleet('lane-a');
  const home = fleet.folder('lane-a');
  const register = openRegister(home, { instance: 'i' });
  onTestFinished(() => register.close());
  const claim = register.begin({ door: 'turn', id: 'restart yourself' });
  expect(refusal([], [home], {})).toContain('`restart yourself` of door `turn`');
  claim?.end();
  expect(refusal([], [home], {})).toBe('');
});

it('a setsid grandchild of the gateway is refused by its marker, and nothing is held', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const gateway = await superviseGateway(fleet, 'lane-a');
  const instance = await untilServed(fleet, 'lane-a');
  const words = [LAUNCHER, '--root', fleet.root, 'restart', '-p', 'lane-a'];
  // The shell between them has ended, so no parent leads back to the gateway.
  const line = 'setsid --fork "$@" 2>&1';
  const live = startProcess('sh', ['-c', line, 'sh', process.execPath, ...words], {
    env: { [INSIDE_GATEWAY]: insideEntry({ pid: gateway.pid(), start: '', instance }) },
  });
  await live.prints('this runs inside a gateway that it would restart');
  expect(exists(fleet.sentinel('lane-a'))).toBe(false);
  expect(gateway.pid()).toBeGreaterThan(0);
});

it('a child of the gateway with a clean environment is refused by its parents', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const { root } = fleet;
  setMeans(fleet, 'lane-a', { command: ['true'] });
  // A gateway that restarts itself when it is told to.
  const code = `const { spawn } = require('node:child_process');
    const [node, launcher, root, gateway] = process.argv;
    process.argv = [node, gateway, root, 'self', 'lane-a'];
    import(gateway);
    process.stdin.once('data', () => {
      const words = [launcher, '--root', root, 'restart', '-p', 'lane-a'];
      spawn(process.execPath, words, { env: { PATH: process.env.PATH }, stdio: 'inherit' });
    });`;
  const words = ['-e', code, LAUNCHER, root, GATEWAY];
  const live = startProcess(process.execPath, words);
  await untilServed(fleet, 'lane-a');
  live.write('now');
  await live.complains('it is a parent of this process');
  expect(exists(fleet.sentinel('lane-a'))).toBe(false);
});
