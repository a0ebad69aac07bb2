/**
 * A watcher that has just been started does not know yet who is coming back to it: nobody says that
 * all have acknowledged before they had time to.
 */
import { expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { startGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { startNewWatcher } from '../support/watcher.ts';

it('what those who are connected have acknowledged is not acknowledged by all: 4, and why, until they had time to come back', async () => {
  const fleet = makeFleet('lane-a');
  await startNewWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a']);
  const { code, stdout, stderr } = fleet.run(['pause', '--wait', '--timeout', '1s']);
  expect(code).toBe(4);
  expect(stdout).toMatch(/acknowledged by 1 of 1 gateway\n {2}acknowledged /);
  expect(stderr).toContain(
    'NOT acknowledged by all in 1s: some may still be reconnecting, since the watcher has just started\n',
  );
  const { code: after, document } = fleet.json(['resume', '--wait']);
  expect(after).toBe(0);
  expect(document.wait).toMatchObject({ outcome: 'acknowledged', gateways_unknown: false });
});

it('where nobody is connected yet, somebody may come', async () => {
  const fleet = makeFleet('lane-a');
  await startNewWatcher(fleet.root);
  const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
  await live.complains('waiting for gateways');
  await startGateway(fleet.root, 'g', ['lane-a']);
  expect((await live.ended).code).toBe(0);
});

it('an assertion is not known to be true: 3, until they had time to come back', async () => {
  const fleet = makeFleet('lane-a');
  await startNewWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a']);
  const { code, stderr } = fleet.run(['assert', 'acknowledged']);
  expect(code).toBe(3);
  expect(stderr).toContain('gateways may still be reconnecting');
  expect(fleet.run(['assert', 'acknowledged', '--within', '20s'])).toMatchObject({ code: 0 });
});
