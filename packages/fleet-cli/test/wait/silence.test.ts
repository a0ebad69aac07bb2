/**
 * A gateway that does not answer: it is silent, after a while stale, and when it dies gone. None of it
 * is an acknowledgement, and none is left out.
 */
import { expect, it } from 'vitest';
import { exists, makeFleet } from '../support/fleet.ts';
import { CLAIMS, startGateway, untilGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';

const QUICK = ['--wait', '--timeout', '1s'];

it('silent, stale and gone are 4 each, with its name and the work that it had in hand', async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  await startWatcher(fleet.root);
  await startGateway(fleet.root, 'fine', ['lane-a']);
  const frozen = await startGateway(fleet.root, 'frozen', ['lane-b=2']);
  frozen.signal('SIGSTOP');
  const silent = fleet.run(['pause', ...QUICK]);
  expect(silent.code).toBe(4);
  expect(silent.stdout).toContain('acknowledged by 1 of 2 gateways\n');
  const named = `sample/1.0, process ${frozen.pid}: lane-b; 2 in hand`;
  expect(silent.stdout).toMatch(new RegExp(`silent +${named}\n`));
  expect(silent.stderr).toBe('NOT acknowledged by all in 1s: 1 silent\n');
  expect(silent.stdout + silent.stderr).not.toMatch(CLAIMS);
  expect(exists(fleet.sentinel())).toBe(true);

  await untilGateway(fleet.root, 'frozen', ({ link }) => link === 'stale');
  const stale = fleet.run(['pause', ...QUICK]);
  expect(stale.code).toBe(4);
  expect(stale.stdout).toMatch(new RegExp(`stale +${named}\n`));
  expect(stale.stderr).toBe('NOT acknowledged by all in 1s: 1 stale\n');

  const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '4s']);
  await live.complains('waiting for gateways (Ctrl-C ends only the waiting): 1 stale');
  await frozen.killed();
  expect((await live.ended).code).toBe(4);
  expect(live.stdout()).toMatch(new RegExp(`gone +${named} when it was last heard\n`));
  expect(live.stderr()).toMatch(/NOT acknowledged by all in 4s: 1 gone\n$/);
});
