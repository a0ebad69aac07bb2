import { expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { startGateway } from '../support/gateways.ts';
import { startWatcher } from '../support/watcher.ts';
it('tries', { timeout: 20000 }, async () => {
  const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
  await startWatcher(fleet.root);
  await startGateway(fleet.root, 'g1', ['lane-a=3', 'lane-b']);
  for (const words of [['pause', '--wait', '--reason', 'x'], ['resume', '--wait'], ['pause', '--wait', '-p', 'lane-c'], ['resume', '--wait', '--json']]) {
  const out = fleet.run(words);
  console.log(out.code, out.stdout, out.stderr);
  }
  expect(1).toBe(1);
});
