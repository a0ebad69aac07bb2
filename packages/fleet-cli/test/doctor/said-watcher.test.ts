/**
 * What answers at the watcher's socket is not believed to be a watcher: `fleet doctor` bounds it in
 * time and size, parses it narrowly, and never shows it raw.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type Fleet, makeFleet, UNSAFE } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { saidWatcher, stateText } from '../support/said-watcher.ts';
import { examineMeanwhile } from './fleets.ts';

const HEALTH = { sweep_ms: 5_000, deaf: 0, deaf_some: [], journal_unreadable: null };

const readyText = (more: object = {}, health: object = {}): string =>
  JSON.stringify({
    schema: 'fleet/ready/v1',
    ready: true,
    blind: [],
    rejected: [],
    health: { ...HEALTH, http: { port_refused: null }, ...health },
    ...more,
  });

async function said(ready: string, state = stateText({}), lateMs = 0): Promise<Fleet> {
  const fleet = makeFleet('lane-a');
  await saidWatcher(fleet.root, async ({ url }, response) => {
    await delay(lateMs);
    response.end(url === '/readyz' ? ready : state);
  });
  return fleet;
}

describe('an answer that is none is not examined: exit 3', () => {
  it.each([
    ['no JSON', '{"ready"', stateText({})],
    ['null', 'null', stateText({})],
    ['another document', '{"schema":"fleet/health/v1","ready":true}', stateText({})],
    ['ready in words', readyText({ ready: 'yes' }), stateText({})],
    ['a state that is none', readyText(), '[]'],
  ])('%s', async (_what, ready, state) => {
    const { code, found } = await examineMeanwhile(await said(ready, state));
    expect(code).toBe(3);
    expect(found('watcher')).toMatchObject([
      { level: 'problem', what: expect.stringContaining('not understood'), unexamined: true },
    ]);
  });
});

it('one that is not ready is a problem, with every reason that it gives', async () => {
  const ready = readyText({ ready: false, blind: ['it sees nothing', 'nor hears anything'] });
  const { code, found } = await examineMeanwhile(await said(ready));
  expect(code).toBe(1);
  expect(found('watcher')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('it sees nothing; nor hears anything') },
  ]);
});

it('a port that is taken, and a journal that it cannot read, are warnings', async () => {
  const health = { journal_unreadable: 'EACCES', http: { port_refused: 'EADDRINUSE' } };
  const { code, found } = await examineMeanwhile(await said(readyText({}, health)));
  expect(code).toBe(0);
  expect(found('watcher').map(({ level, what }) => [level, /E[A-Z]+/.exec(what)?.[0]])).toEqual([
    ['warning', 'EACCES'],
    ['warning', 'EADDRINUSE'],
  ]);
});

it('a webhook that lost something is a problem whatever came after it, and a past error is none', async () => {
  const hook = {
    pending: 0,
    missed: 0,
    last_error: 'status 500',
    last_error_at: '2026-01-01T00:00:00Z',
    last_success_at: '2026-01-01T00:00:01Z',
    secret_refused: null,
  };
  const webhooks = [
    { ...hook, hook: 'recovered' },
    { ...hook, hook: 'overrun', missed: 3 },
  ];
  const fleet = await said(readyText(), stateText({ webhooks }));
  expect((await examineMeanwhile(fleet)).found('watcher')).toMatchObject([
    { level: 'problem', what: expect.stringContaining('the webhook overrun has lost 3 events') },
  ]);
});

it('an answer after more than a second is a warning, since others do not wait for it', async () => {
  const { code, found } = await examineMeanwhile(await said(readyText(), stateText({}), 1_100));
  expect(code).toBe(0);
  expect(found('watcher')).toMatchObject([
    { level: 'warning', what: expect.stringMatching(/took 1\d{3} ms to answer|took 2\d{3} ms/) },
  ]);
});

it('whatever else it says is told in bounds, and nothing in it is obeyed', async () => {
  const many = Array.from({ length: 200 }, (_, at) => at);
  const evil = `\u001b[2J\n\u202e${'x'.repeat(5_000)}`;
  const served = { name: evil, doors: [], in_flight: 0, acknowledged: null };
  const gateway = { pid: 1, software: evil, link: 'stale', profiles: many.map(() => served) };
  const state = stateText({
    gateways: many.map((at) => ({ ...gateway, instance: `${at}`, profiles: [served] })),
    webhooks: [...many.map(() => ({ hook: evil, last_error: evil, missed: 1 })), 7, null, []],
  });
  const ready = readyText(
    { ready: false, blind: many.map(() => evil), rejected: many.map(() => ({ path: evil })) },
    { deaf: 200, deaf_some: many.map(() => ({ dir: evil, why: evil })), sweep_ms: -1 },
  );
  const fleet = await said(ready, state);
  const live = startFleet(['doctor', '--root', fleet.root]);
  expect((await live.ended).code).toBe(1);
  expect(live.stdout()).not.toMatch(UNSAFE);
  expect(live.stdout().length).toBeLessThan(80_000);
  expect((await examineMeanwhile(fleet)).found('watcher').length).toBeLessThan(60);
});

it.each([
  [{ notices: 'native', polled: 0 }, 'native notices'],
  [{ notices: 'native', polled: 3 }, 'native notices and polling of 3 folders'],
  [{ notices: null, polled: 1 }, 'polling of 1 folder'],
])('how it observes is said: %j', async (observing, words) => {
  const { document } = await examineMeanwhile(await said(readyText({}, { observing })));
  expect(document.findings).toContainEqual(
    expect.objectContaining({
      level: 'ok',
      what: expect.stringContaining(`observing by ${words};`),
    }),
  );
});
