/** A link has one connection at a time, and ignores events of older ones. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { ownName } from '../../src/link/own-name.ts';
import { hold, homeOf, liftAll, linked, makeRoot } from '../support/fleets.ts';
import { watching } from '../support/processes.ts';
import { alive, saidWatcher, stateOf } from '../support/scripted-watcher.ts';

const tooMany = () => Array.from({ length: 2_000 }, (_, at) => `lane-${at}`);

/** Open connections of this process, counting both ends. */
const pipes = () => process.getActiveResourcesInfo().filter((it) => it === 'PipeWrap').length;

/** A link that was refused because its hello was too long, and now serves only `a`. */
async function refusedLink(root: string) {
  const names = tooMany();
  const doors = ['turn'];
  const it = linked(root, names, {
    instance: 'g',
    profiles: () => names.map((name) => ({ name, doors: [...doors], in_flight: 0 })),
  });
  await it.untilLink('refused');
  names.splice(0, names.length, 'a');
  return { ...it, doors };
}

test('two refreshes in one turn while refused are one connection, which says hello once', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { link, untilLink, statuses } = await refusedLink(root);
  await watcher.caller();
  link.refresh();
  link.refresh();
  const caller = await watcher.caller();
  await caller.hello();
  caller.say(alive);
  await untilLink('connected');
  await caller.until(() => (caller.heard.length > 3 ? true : undefined));
  expect(watcher.calls()).toBe(2);
  expect(caller.heard.filter(({ type }) => type === 'hello')).toHaveLength(1);
  expect(statuses.map((status) => status.link)).toEqual(['refused', 'connected']);
});

test('after two refreshes while refused, a watcher sees one gateway that never goes', async () => {
  const root = makeRoot('a');
  const { watcher, untilAll } = await watching(root);
  const { link } = await refusedLink(root);
  link.refresh();
  link.refresh();
  await untilAll(['g'], (view) => view.link === 'acknowledged');
  link.refresh();
  const before = watcher.store.snapshot().profileRevisions.get('a') ?? 0;
  hold(root, 'everybody');
  await untilAll(
    ['g'],
    ({ link: at, profiles }) => at === 'acknowledged' && (profiles[0]?.acknowledged ?? 0) > before,
  );
  const types = watcher.store.log.recent(1_000).map(({ type }) => type);
  expect(types.filter((type) => type === 'gateway.connected')).toHaveLength(1);
  expect(types).not.toContain('gateway.gone');
});

test('what is refreshed or announced before the watcher has answered is said on the same connection', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { link, doors, untilLink } = await refusedLink(root);
  await watcher.caller();
  link.refresh();
  const caller = await watcher.caller();
  await caller.hello();
  expect(link.status().link).toBe('refused');
  doors.push('cron');
  link.announce();
  const hellos = () => caller.heard.filter((it) => it.type === 'hello');
  await caller.until(() => (hellos().length === 2 ? true : undefined));
  expect(hellos()[1]?.profiles[0]?.doors).toEqual(['turn', 'cron']);
  link.refresh();
  await caller.until(() => (hellos().length === 3 ? true : undefined));
  caller.say(alive);
  await untilLink('connected');
  expect(watcher.calls()).toBe(2);
});

test('announcing tries nothing again that was given up', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { link } = await refusedLink(root);
  await watcher.caller();
  link.announce();
  linked(root, ['a'], { instance: 'other' });
  expect((await (await watcher.caller()).hello()).instance).toBe('other');
});

test('names that change while it calls are in the one hello', async () => {
  const root = makeRoot('a', 'b');
  const names = ['a'];
  const watcher = await saidWatcher(root);
  const { link } = linked(root, names);
  names.push('b');
  link.refresh();
  link.refresh();
  const caller = await watcher.caller();
  await caller.hello();
  await caller.until(() => (caller.heard.length > 3 ? true : undefined));
  const hellos = caller.heard.filter((it) => it.type === 'hello');
  expect(hellos.map(({ profiles }) => profiles.length)).toEqual([2]);
  expect(watcher.calls()).toBe(1);
});

test.each(['connecting', 'connected', 'stale', 'refused'] as const)(
  'one that is closed when it says `%s` stays closed, and calls nobody again',
  async (when) => {
    const root = makeRoot('a');
    const watcher = await saidWatcher(root);
    const { link, untilLink, statuses } = linked(root, ['a'], {
      onLink: (status) => {
        if (status.link === when) link.close();
      },
    });
    const caller = await watcher.caller();
    if (when === 'connecting') caller.socket.destroy();
    else if (when === 'refused')
      caller.say({ type: 'refused', code: 'protocol', message: 'no', hint: '' });
    else caller.say(alive, stateOf('a', 1));
    await untilLink('closed');
    await caller.closed;
    // Connects a second time long after the closed one would have reconnected.
    linked(root, ['a'], { instance: 'other', retry: { firstMs: 200, mostMs: 200 } });
    for (const _time of ['first', 'second']) {
      const next = await watcher.caller();
      expect((await next.hello()).instance).toBe('other');
      next.socket.destroy();
    }
    expect(statuses.at(-1)).toEqual({ link: 'closed' });
  },
);

test('one that is closed while it calls says nothing', async () => {
  const root = makeRoot('a');
  const watcher = await saidWatcher(root);
  const { link } = linked(root, ['a']);
  link.close();
  linked(root, ['a'], { instance: 'other' });
  const [first, second] = [await watcher.caller(), await watcher.caller()];
  await first.closed;
  expect(first.heard).toEqual([]);
  expect((await second.hello()).instance).toBe('other');
});

test('a closed link does not wait for a watcher that reads nothing', async () => {
  const root = makeRoot();
  const profiles = Array.from({ length: 1_000 }, (_, at) => `lane-${at}`);
  const watcher = await saidWatcher(root);
  const { link } = linked(root, profiles, { heartbeatMs: 600_000 });
  const caller = await watcher.caller();
  await caller.hello();
  caller.socket.pause();
  // More than the kernel buffers for a reader that does not read.
  for (let at = 0; at < 50; at += 1) link.announce();
  await turn();
  const open = pipes();
  link.close();
  await vi.waitFor(() => expect(pipes()).toBe(open - 1), { timeout: 4_000 });
  expect(caller.socket.isPaused()).toBe(true);
});

test('a watcher of another protocol is left alone, until another watcher stands in its place', async () => {
  const root = makeRoot('a');
  const first = await saidWatcher(root);
  const { link, untilLink, statuses } = linked(root, ['a']);
  const refused = await first.caller();
  refused.say({ type: 'refused', code: 'protocol', message: 'no', hint: 'update the gateway' });
  await untilLink('refused');
  await refused.closed;
  await first.stop();
  const second = await saidWatcher(root);
  const caller = await second.caller();
  await caller.hello();
  expect(link.status()).toMatchObject({ link: 'refused', code: 'protocol' });
  caller.say(alive);
  await untilLink('connected');
  expect([first.calls(), second.calls()]).toEqual([1, 1]);
  expect(statuses.map((status) => status.link)).toEqual(['refused', 'connected']);
});

test('a silent watcher is left when another one stands in its place, and kept while none does', async () => {
  const root = makeRoot('a');
  const silent = await saidWatcher(root);
  const { untilLink, link } = linked(root, ['a']);
  const first = await silent.caller();
  first.say(alive);
  await untilLink('stale');
  const folder = join(root, '.fleet');
  renameSync(folder, join(root, 'aside'));
  const beats = first.heard.length;
  await first.until(() => (first.heard.length > beats + 3 ? true : undefined));
  expect(link.status().link).toBe('stale');
  const another = await saidWatcher(root);
  const second = await another.caller();
  await second.hello();
  second.say({ type: 'alive', epoch: 'e2', revision: 1 });
  await untilLink('connected');
  await first.closed;
  expect(link.status()).toEqual({ link: 'connected', epoch: 'e2' });
  expect([silent.calls(), another.calls()]).toEqual([1, 1]);
});

test('a watcher that is heard is kept, whatever stands in place of its socket', async () => {
  const root = makeRoot('a');
  const heard = await saidWatcher(root);
  const { untilLink } = linked(root, ['a']);
  const caller = await heard.caller();
  caller.say(alive);
  await untilLink('connected');
  renameSync(join(root, '.fleet'), join(root, 'aside'));
  const another = await saidWatcher(root);
  const beats = caller.heard.length;
  await caller.until(() => {
    caller.say(alive);
    return caller.heard.length > beats + 5 ? true : undefined;
  });
  expect(another.calls()).toBe(0);
});

test('a link that is refreshed from a change callback keeps the newest read', async () => {
  const root = makeRoot('a', 'b');
  const names = ['a', 'b'];
  const seen: string[] = [];
  const { link, states } = linked(root, names, {
    onState({ profile, engaged }) {
      seen.push(`${profile} ${engaged}`);
      if (profile !== 'a' || !engaged || names.length === 1) return;
      // Between the callback for `a` and the one for `b` of the same read.
      names.pop();
      link.refresh();
    },
  });
  hold(homeOf(root, 'b'), 'later');
  hold(root, 'both');
  link.refresh();
  expect(link.state('a')?.engaged).toBe(true);
  expect(link.state('b')).toBeUndefined();
  expect(states.at(-1)?.profile).toBe('a');
  liftAll(root);
});

test('two links of one process with one `instance` are two gateways, and neither is sent away', async () => {
  const root = makeRoot('a', 'b');
  const { watcher, untilAll } = await watching(root);
  const calm = { instance: 'same', retry: { firstMs: 1, mostMs: 2 } };
  const one = linked(root, ['a'], calm);
  const two = linked(root, ['b'], calm);
  const views = await untilAll(['same', 'same.1'], ({ link }) => link === 'acknowledged');
  expect(views.map(({ profiles }) => profiles.map(({ name }) => name))).toEqual([['a'], ['b']]);
  hold(root, 'both');
  await untilAll(['same', 'same.1'], ({ link, profiles }) => {
    const revision = watcher.store.snapshot().profileRevisions.get(profiles[0]?.name ?? '');
    return link === 'acknowledged' && revision === profiles[0]?.acknowledged;
  });
  expect([...one.statuses, ...two.statuses].map(({ link }) => link)).toEqual([
    'connected',
    'connected',
  ]);

  two.link.close();
  await untilAll(['same.1'], ({ link }) => link === 'gone');
  linked(root, ['b'], calm);
  await untilAll(['same.1'], ({ link }) => link === 'acknowledged');
});

test('a link that is closed twice gives its name back once', () => {
  const first = ownName('/socket', 'same');
  first.release();
  const second = ownName('/socket', 'same');
  first.release();
  expect([second.name, ownName('/socket', 'same').name]).toEqual(['same', 'same.1']);
});
