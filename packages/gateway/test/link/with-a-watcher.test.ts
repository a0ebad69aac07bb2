/** Links, watchers and holds in separate processes that are stopped and killed. */
import { describe, expect, test } from 'vitest';
import { hold, homeOf, liftAll, linked, makeRoot } from '../support/fleets.ts';
import { gatewayProcess, namesOf, watcherProcess, watching } from '../support/processes.ts';

const isAcknowledged = ({ link }: { readonly link: string }) => link === 'acknowledged';

/** Processes start slowly on a busy machine, and a silent one is stale after six seconds. */
describe('in processes of their own', { timeout: 90_000 }, () => {
  test('200 gateways in two processes all acknowledge a pause of the fleet, and its lift', async () => {
    const root = makeRoot('a', 'b');
    const { watcher, untilAll } = await watching(root);
    const processes = await Promise.all([
      gatewayProcess(root, 'x', 100, ['a', 'b']),
      gatewayProcess(root, 'y', 100, ['b']),
    ]);
    const all = [...namesOf('x', 100), ...namesOf('y', 100)];
    await untilAll(all, isAcknowledged);

    const before = watcher.store.snapshot().profileRevisions;
    hold(root, 'everybody');
    const views = await untilAll(
      all,
      (view) =>
        isAcknowledged(view) &&
        view.profiles.every(
          ({ name, acknowledged }) => (acknowledged ?? 0) > (before.get(name) ?? 0),
        ),
    );
    expect(views).toHaveLength(200);
    for (const { ask } of processes) {
      expect((await ask()).every(({ profiles }) => profiles.every((held) => held === true))).toBe(
        true,
      );
    }

    const held = watcher.store.snapshot().profileRevisions;
    liftAll(root);
    await untilAll(
      all,
      (view) =>
        isAcknowledged(view) &&
        view.profiles.every(
          ({ name, acknowledged }) => (acknowledged ?? 0) > (held.get(name) ?? 0),
        ),
    );
    for (const { ask } of processes) {
      expect((await ask()).every(({ profiles }) => profiles.every((it) => it === false))).toBe(
        true,
      );
    }
  });

  test('a gateway that is killed is gone, by name, and the others acknowledge without it', async () => {
    const root = makeRoot('a');
    const { watcher, untilAll } = await watching(root);
    const victim = await gatewayProcess(root, 'victim', 1, ['a']);
    await gatewayProcess(root, 'other', 3, ['a']);
    await untilAll(['victim0', ...namesOf('other', 3)], isAcknowledged);
    const { revision } = watcher.store.snapshot();
    await victim.killed();
    const [gone] = await untilAll(['victim0'], ({ link }) => link === 'gone');
    expect(gone).toMatchObject({ pid: victim.child.pid, profiles: [{ name: 'a' }] });
    const events = watcher.store.log.after(revision);
    expect(events).toMatchObject([{ type: 'gateway.gone', subject: 'gateway/victim0' }]);
    hold(root, 'everybody');
    const views = await untilAll(
      namesOf('other', 3),
      (view) => isAcknowledged(view) && (view.profiles[0]?.acknowledged ?? 0) > revision,
    );
    expect(views).toHaveLength(3);
  });

  test('one that is stopped is stale, delays no other, and when it goes on it ends at the newest state', async () => {
    const root = makeRoot('a');
    const { watcher, untilAll } = await watching(root);
    const stopped = await gatewayProcess(root, 'stopped', 1, ['a']);
    await gatewayProcess(root, 'other', 5, ['a']);
    const others = namesOf('other', 5);
    await untilAll(['stopped0', ...others], isAcknowledged);
    stopped.signal('SIGSTOP');
    for (let at = 0; at < 10; at++) {
      const before = watcher.store.snapshot().profileRevisions.get('a') ?? 0;
      if (at % 2 === 0) hold(homeOf(root, 'a'), `pause ${at}`);
      else liftAll(homeOf(root, 'a'));
      await untilAll(
        others,
        (view) => isAcknowledged(view) && (view.profiles[0]?.acknowledged ?? 0) > before,
      );
    }
    hold(homeOf(root, 'a'), 'the last one');
    await untilAll(['stopped0'], ({ link }) => link === 'stale');
    await untilAll(others, isAcknowledged);
    const newest = watcher.store.snapshot().profileRevisions.get('a');
    const silent = watcher.store.snapshot().gateways.find((it) => it.instance === 'stopped0');
    expect(silent?.profiles[0]?.acknowledged).toBeLessThan(newest ?? 0);

    stopped.signal('SIGCONT');
    const [view] = await untilAll(['stopped0'], isAcknowledged);
    expect(view?.profiles[0]?.acknowledged).toBe(newest);
    expect((await stopped.ask())[0]).toMatchObject({ profiles: [true] });
  });

  test('a watcher that is killed: holds stay, a new one is in force by disk, and the next epoch hears of it', async () => {
    const root = makeRoot('a', 'b');
    hold(homeOf(root, 'a'), 'before');
    const first = await watcherProcess(root);
    const gateways = await gatewayProcess(root, 'g', 10, ['a', 'b']);
    const all = namesOf('g', 10);
    const acknowledged = (views: readonly { instance: string; link: string }[]) =>
      all.every((name) => views.some((view) => view.instance === name && isAcknowledged(view)));
    await first.until(acknowledged);
    const [before] = await gateways.ask();

    await first.killed();
    const lost = await gateways.until((answer) =>
      answer.every(({ link }) => link.link === 'connecting'),
    );
    expect(lost.every(({ profiles }) => profiles[0] === true && profiles[1] === false)).toBe(true);
    hold(homeOf(root, 'b'), 'while nobody watches');
    const held = await gateways.until((answer) =>
      answer.every(({ profiles }) => profiles[1] === true),
    );
    expect(held.every(({ link }) => link.link === 'connecting')).toBe(true);

    const second = await watcherProcess(root);
    await second.until(acknowledged);
    const [after] = await gateways.ask();
    expect(after).toMatchObject({ link: { link: 'connected' }, profiles: [true, true] });
    expect(after?.link).not.toEqual(before?.link);
  });
});

test('a profile that is served from the root is listed, paused with the root, and acknowledged', async () => {
  const root = makeRoot('a');
  const { watcher, untilAll } = await watching(root);
  linked(root, ['default'], { instance: 'root-gateway' });
  await untilAll(['root-gateway'], isAcknowledged);
  expect(watcher.store.snapshot().fleet.profiles.map(({ name }) => name)).toContain('default');
  const before = watcher.store.snapshot().profileRevisions.get('default') ?? 0;
  hold(root, 'all of it');
  await untilAll(
    ['root-gateway'],
    (view) => isAcknowledged(view) && (view.profiles[0]?.acknowledged ?? 0) > before,
  );
});

test('a storm of toggles ends with everybody at the newest state', async () => {
  const root = makeRoot('a');
  const { watcher, untilAll } = await watching(root);
  linked(root, ['a'], { instance: 'g' });
  await untilAll(['g'], isAcknowledged);
  for (let at = 0; at < 80; at++) {
    hold(homeOf(root, 'a'), `${at}`);
    if (at % 3 === 0) await new Promise(setImmediate);
    liftAll(homeOf(root, 'a'));
  }
  const id = hold(homeOf(root, 'a'), 'the last one');
  const [view] = await untilAll(
    ['g'],
    (it) =>
      isAcknowledged(it) && watcher.store.snapshot().fleet.profiles[0]?.own?.holds[0]?.id === id,
  );
  expect(view?.profiles[0]?.acknowledged).toBe(watcher.store.snapshot().profileRevisions.get('a'));
});
