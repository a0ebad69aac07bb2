/** Instance names belong to one process: no process acknowledges for another, and none is lost. */
import { connect } from 'node:net';
import { join } from 'node:path';
import { encode, PROTOCOL } from '@fleet-estop/protocol';
import { describe, expect, test } from 'vitest';
import { hold, homeOf, linked, makeRoot } from '../support/fleets.ts';
import { gatewayProcess, watching } from '../support/processes.ts';
import { saidWatcher } from '../support/scripted-watcher.ts';

const isAcknowledged = ({ link }: { readonly link: string }) => link === 'acknowledged';

describe('in processes of their own', { timeout: 90_000 }, () => {
  test('nobody acknowledges for a gateway that is stopped by saying its instance and process', async () => {
    const root = makeRoot('a');
    const { watcher, gateways, untilAll } = await watching(root);
    const stopped = await gatewayProcess(root, 'g', 1, ['a']);
    await untilAll(['g0'], isAcknowledged);
    stopped.signal('SIGSTOP');
    hold(homeOf(root, 'a'), 'an emergency');
    await untilAll(['g0'], ({ link }) => link === 'connected');

    const pid = stopped.child.pid ?? 0;
    const profiles = [{ name: 'a', doors: ['turn'], in_flight: 0 }];
    const who = { instance: 'g0', pid, software: 'sample/1.0', profiles };
    const claim = connect(join(root, '.fleet', 'watcher.sock'));
    let heard = '';
    claim.on('data', (chunk) => {
      heard += chunk.toString();
    });
    claim.write(encode({ type: 'hello', protocol: PROTOCOL, ...who }));
    await new Promise((resolve) => claim.once('close', resolve));
    expect(heard).toContain('"code":"taken"');
    expect(gateways()).toMatchObject([{ instance: 'g0', pid }]);
    expect(isAcknowledged(gateways()[0] ?? { link: '' })).toBe(false);

    stopped.signal('SIGCONT');
    const [view] = await untilAll(['g0'], isAcknowledged);
    const newest = watcher.store.snapshot().profileRevisions.get('a');
    expect(view?.profiles[0]?.acknowledged).toBe(newest);
    const types = watcher.store.log.recent(1_000).map(({ type }) => type);
    expect(types).not.toContain('gateway.gone');
  });

  test('two processes that were given one instance are two gateways, and both are waited for', async () => {
    const root = makeRoot('a');
    const { gateways, watcher } = await watching(root);
    await gatewayProcess(root, 'g', 1, ['a']);
    await gatewayProcess(root, 'g', 1, ['a']);
    await new Promise<void>((resolve) => {
      const look = () => {
        if (gateways().filter(isAcknowledged).length === 2) resolve();
      };
      watcher.store.subscribe(look);
      look();
    });
    const names = gateways().map(({ instance }) => instance);
    expect(names.sort()).toEqual(['g0', expect.stringMatching(/^g0-[0-9a-f]{8}$/)]);
  });
});

test('a hello has a secret that is the same on each connection, and no other link has it', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  linked(root, ['a'], { instance: 'one' });
  const first = await watcher.caller();
  const { secret } = await first.hello();
  expect(secret?.length).toBeGreaterThanOrEqual(43);
  first.socket.destroy();
  expect((await (await watcher.caller()).hello()).secret).toBe(secret);
  linked(makeRoot('b'), ['b']);
  linked(root, ['a'], { instance: 'two' });
  expect((await (await watcher.caller()).hello()).secret).not.toBe(secret);
});

test('a link whose instance is taken comes back under another one, however long it is', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  linked(root, ['a'], { instance: 'x'.repeat(256) });
  const first = await watcher.caller();
  await first.hello();
  first.say({ type: 'refused', code: 'taken', message: 'taken', hint: 'another one' });
  first.socket.end();
  const { instance } = await (await watcher.caller()).hello();
  expect(instance).toMatch(/^x{200,}-[0-9a-f]{8}$/);
  expect(instance.length).toBeLessThanOrEqual(256);
});
