/**
 * `fleet resume --wait`: every expected gateway has acknowledged a state in which nothing holds.
 */
import { expect, it } from 'vitest';
import { type Document, exists, makeFleet } from '../support/fleet.ts';
import { startGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';
import { startWorkingGateway } from '../support/working-gateways.ts';

const QUICK = ['--wait', '--timeout', '1s'];

it('it is 0 when all of them have acknowledged, and says that nothing holds there', async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  await startWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a=1', 'lane-b']);
  fleet.run(['pause', '--wait']);
  const { code, stdout, stderr } = fleet.run(['resume', '--wait']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^RESUMED the root: nothing holds it\n/);
  expect(stdout).toContain('ACKNOWLEDGED by 1 gateway: nothing holds new work there\n');
  expect(stdout).toMatch(/sample\/1.0, process \d+: lane-a, lane-b; after \d+ ms; 1 in hand\n/);
});

it('it says how the gateways spread what they catch up with, as far as they say so', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await startWorkingGateway(fleet.root, 'w1', ['lane-a']);
  fleet.run(['pause', '--wait']);
  const alone = fleet.run(['resume', '--wait']).stdout;
  expect(alone).toMatch(/^ +catch-up +spread over 10s \(1 gateway\)$/m);

  await startWorkingGateway(fleet.root, 'w2', ['lane-a']);
  await startGateway(fleet.root, 'silent', ['lane-a']);
  expect(fleet.run(['pause', '--wait']).stdout).not.toContain('catch-up');
  const { document } = fleet.json(['resume', '--wait']);
  const spreads = document.wait.gateways.map((one: Document) => [
    one.instance,
    one.resume_spread_ms,
  ]);
  expect(Object.fromEntries(spreads)).toEqual({ w1: 10_000, w2: 10_000, silent: null });
  fleet.run(['pause', '--wait']);
  expect(fleet.run(['resume', '--wait']).stdout).toMatch(
    /^ +catch-up +spread over 10s \(2 gateways\); not said \(1 gateway\)$/m,
  );
});

it('it is 4 where one has not, and what is lifted stays lifted', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
  fleet.run(['pause', '--wait']);
  gateway.signal('SIGSTOP');
  const { code, document } = fleet.json(['resume', ...QUICK]);
  expect(code).toBe(4);
  expect(document.results[0]).toMatchObject({ state: 'free', lifted: [{ holder: 'operator' }] });
  expect(document.wait).toMatchObject({
    outcome: 'partial',
    gateways: [{ instance: 'g', standing: 'silent', after_ms: null }],
  });
  expect(exists(fleet.sentinel())).toBe(false);
});

it('where nothing was held, who is at the newest state has acknowledged that', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a']);
  const { code, document } = fleet.json(['resume', '-p', 'lane-a', '--wait']);
  expect(code).toBe(0);
  // It said so before this was asked for, and nobody knows a number of milliseconds.
  expect(document.wait.gateways).toMatchObject([{ standing: 'acknowledged', after_ms: null }]);
});

it('what others still hold is 1 at once, and nobody is waited for', () => {
  const fleet = makeFleet('lane-a');
  fleet.run(['pause', '-p', 'lane-a', '--as', 'sre']);
  const words = ['resume', '-p', 'lane-a', '--wait', '--timeout', '1h'];
  expect(fleet.json(words)).toMatchObject({ code: 1, document: { wait: null } });
});

it('of two profiles, the one that is free is waited for, and the other makes it 7', async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  await startWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a', 'lane-b']);
  fleet.run(['pause', '-p', 'lane-a', '-p', 'lane-b', '--wait']);
  fleet.run(['pause', '-p', 'lane-b', '--as', 'sre']);
  const { code, document } = fleet.json(['resume', '-p', 'lane-a', '-p', 'lane-b', '--wait']);
  expect(code).toBe(7);
  expect(document.wait).toMatchObject({
    outcome: 'acknowledged',
    gateways: [{ profile: 'lane-a', standing: 'acknowledged' }],
  });
});

it('after the root, a profile with a hold of its own is not waited for', async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  await startWatcher(fleet.root);
  await startGateway(fleet.root, 'g', ['lane-a', 'lane-b', 'default']);
  fleet.run(['pause', '--wait']);
  fleet.run(['pause', '-p', 'lane-b', '--as', 'sre']);
  const { code, document } = fleet.json(['resume', '--wait']);
  expect(code).toBe(0);
  const names = document.wait.gateways.map(({ profile }: { profile: string }) => profile);
  expect(names.sort()).toEqual(['default', 'lane-a']);
});

it('held again meanwhile, it is 1', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const gateway = await startGateway(fleet.root, 'g', ['lane-a']);
  fleet.run(['pause', '--wait']);
  gateway.signal('SIGSTOP');
  const live = startFleet(['resume', '--root', fleet.root, '--wait', '--timeout', '1h']);
  await live.prints('RESUMED');
  fleet.run(['pause', '-p', 'lane-a', '--as', 'sre']);
  expect((await live.ended).code).toBe(1);
  expect(live.stderr()).toMatch(
    /^NOT running any more: lane-a is held again\n {2}until then: (not acknowledged by all|who had).+\n$/,
  );
});

it('without a watcher it is 5', () => {
  const fleet = makeFleet('lane-a');
  fleet.run(['pause']);
  const { code, stderr } = fleet.run(['resume', ...QUICK]);
  expect(code).toBe(5);
  expect(stderr).toContain('the hold is lifted on disk');
  expect(exists(fleet.sentinel())).toBe(false);
});
