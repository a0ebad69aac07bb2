/** The webhook door behind real HTTP, in every framework that has an adapter. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { fetchDoor, openGate, PAUSED_TYPE, webhookAnswer } from '../../src/index.ts';
import {
  type DoorFleet,
  doorFleet,
  HOLDS,
  hold,
  holdFor,
  homeOf,
  inMs,
  liftAll,
  NO_HOLDS,
} from './door-fleet.ts';
import { recorder } from './recorder.ts';
import { APPS, type App, type AppOptions } from './web-servers.ts';

const KEYS: Readonly<Record<string, string>> = { 'key-a': 'ops', 'key-b': 'ci' };

interface Running extends DoorFleet {
  readonly claimed: readonly unknown[];
  post(key: string | null, body?: string): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

async function running(app: App, more: Partial<AppOptions> = {}): Promise<Running> {
  const fleet = doorFleet();
  const claimed: unknown[] = [];
  const url = await app({
    gate: fleet.gate,
    authenticate: (key) => KEYS[key ?? ''] ?? null,
    claimed,
    ...more,
  });
  return {
    ...fleet,
    claimed,
    async post(key, body = '{"job":"report"}') {
      const response = await fetch(`${url}/hook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'x-key': key }) },
        body,
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
  };
}

/** Everything an outsider can see, without the date and connection headers. */
const seen = ({ status, headers, text }: Answer) => ({
  status,
  text,
  headers: [...headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name)),
});

describe.each(APPS)('%s', (_, app) => {
  test.each(NO_HOLDS)('%s: the request is accepted', async (_, place) => {
    const { root, post, claimed, receipts } = await running(app);
    place(root);
    expect(await post('key-a')).toMatchObject({ status: 202 });
    expect(claimed).toEqual([{ job: 'report' }]);
    expect(receipts()).toEqual([]);
  });

  test.each(HOLDS)(
    '%s: the request is refused before its claim, with one receipt',
    async (_, place) => {
      const { root, post, claimed, receipts } = await running(app);
      place(root);
      const { status, headers, text } = await post('key-a');
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('60');
      expect(headers.get('content-type')).toBe('application/problem+json');
      expect(headers.get('cache-control')).toBe('no-store');
      const [receipt] = receipts();
      expect(JSON.parse(text)).toEqual({
        type: PAUSED_TYPE,
        title: 'Paused',
        status: 503,
        detail: expect.stringMatching(/^New work on a is paused/),
        profile: 'a',
        until: null,
        holds: receipt?.holds,
      });
      expect(receipts()).toEqual([
        expect.objectContaining({ door: 'cron-webhook', principal: 'ops' }),
      ]);
      expect(claimed).toEqual([]);
    },
  );

  test('what was refused is accepted after the lift, when it is sent again', async () => {
    const { root, post, claimed } = await running(app);
    hold(root, 'bad deploy');
    expect((await post('key-a')).status).toBe(503);
    liftAll(root);
    expect((await post('key-a')).status).toBe(202);
    expect(claimed).toHaveLength(1);
  });

  test('a hold that ends sooner than in a minute says so in Retry-After', async () => {
    const { root, post } = await running(app);
    hold(root, 'for a moment', { expiresAt: inMs(20_000) });
    const { headers, text } = await post('key-a');
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(20);
    expect(JSON.parse(text).until).toEqual(expect.any(String));
  });

  test('whom the hold lets pass is accepted, and nobody else', async () => {
    const { root, post, receipts } = await running(app);
    holdFor(root, ['ops']);
    expect((await post('key-a')).status).toBe(202);
    expect((await post('key-b')).status).toBe(503);
    expect(receipts().map(({ principal }) => principal)).toEqual(['ci']);
  });

  test('an outsider is answered alike, to the byte, whatever holds', async () => {
    const { root, post, receipts } = await running(app);
    const free = [await post(null), await post('wrong')];
    hold(root, 'bad deploy');
    const held = [await post(null), await post('wrong')];
    expect(held.map(seen)).toEqual(free.map(seen));
    for (const { status, headers } of held) {
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe('Bearer');
      expect(headers.get('retry-after')).toBe(null);
    }
    expect(receipts()).toEqual([]);
  });

  test.each([undefined, ''])('`%s` is nobody, too', async (nobody) => {
    const { post } = await running(app, { authenticate: () => nobody });
    expect((await post('key-a')).status).toBe(401);
  });

  test('a body that is no JSON is a mistake of the sender, paused or not', async () => {
    const { root, post, receipts } = await running(app);
    expect((await post('key-a', '{"job":')).status).toBe(400);
    hold(root, 'bad deploy');
    expect((await post('key-a', '{"job":')).status).toBe(400);
    expect(receipts()).toEqual([]);
  });

  test.each<[string, AppOptions['authenticate']]>([
    [
      'throws',
      () => {
        throw new Error('the directory of users is away');
      },
    ],
    // Only possible for a caller without types.
    ['answers by a promise', (() => Promise.resolve('ops')) as unknown as () => string],
    [
      'answers by a promise that fails',
      (() =>
        Promise.reject(new Error('the directory of users is away'))) as unknown as () => string,
    ],
    ['answers a number', (() => 7) as unknown as () => string],
  ])(
    'where `principal` %s, all are refused alike, and the author hears why',
    async (_, authenticate) => {
      const mistakes: unknown[] = [];
      const { root, post, claimed, receipts } = await running(app, {
        authenticate,
        onMistake: (error) => void mistakes.push(error),
      });
      const free = await post('key-a');
      hold(root, 'bad deploy');
      const held = await post('key-a');
      expect(seen(held)).toEqual(seen(free));
      expect(free.status).toBe(503);
      expect(free.text).not.toMatch(/directory|promise|paused/i);
      expect(mistakes).toEqual([expect.any(Error), expect.any(Error)]);
      expect([claimed, receipts()]).toEqual([[], []]);
    },
  );
});

test('a refused upload leaves its connection usable', async () => {
  const [, app] = APPS[1] as (typeof APPS)[number];
  const { root, claimed, post } = await running(app);
  hold(root, 'bad deploy');
  const big = JSON.stringify({ job: 'x'.repeat(90_000) });
  expect((await post('key-a', big)).status).toBe(503);
  liftAll(root);
  expect((await post('key-a', big)).status).toBe(202);
  expect(claimed).toHaveLength(1);
});

test('the profile may come from the request, and one that is not served is refused', async () => {
  const { root, gate, receipts } = doorFleet(['a', 'b']);
  hold(homeOf(root, 'a'), 'fan-out');
  const mistakes: unknown[] = [];
  const door = fetchDoor(gate, {
    principal: () => 'ops',
    profile: ({ url }) => new URL(url).pathname.slice(1),
    door: 'upload',
    onMistake: (error) => void mistakes.push(error),
  });
  const statuses = ['a', 'b', 'c', ''].map((name) => door(new Request(`http://x/${name}`))?.status);
  expect(statuses).toEqual([503, undefined, 503, 503]);
  expect(receipts('a')).toEqual([expect.objectContaining({ door: 'upload' })]);
  expect(mistakes).toMatchObject([{ code: 'PROFILE_UNKNOWN' }, { code: 'PROFILE_UNKNOWN' }]);
});

test('without a listener the first mistake of a door is a warning of the process', async () => {
  const { gate } = doorFleet();
  const warnings = recorder<Error>();
  process.on('warning', warnings.add);
  onTestFinished(() => void process.off('warning', warnings.add));
  const failing = (what: string) =>
    fetchDoor(gate, {
      principal() {
        throw new Error(what);
      },
    });
  const [one, other] = [failing('first'), failing('another door')];
  for (let time = 0; time < 3; time += 1) expect(one(new Request('http://x/'))?.status).toBe(503);
  other(new Request('http://x/'));
  expect(await warnings.count(2)).toMatchObject([
    { code: 'FLEET_DOOR_MISTAKE', message: expect.stringContaining('Error: first') },
    { code: 'FLEET_DOOR_MISTAKE', message: expect.stringContaining('Error: another door') },
  ]);
});

test('a gate that does not serve the profile asked for accepts nothing', () => {
  const { root } = doorFleet(['a', 'b']);
  const gate = openGate({ home: homeOf(root, 'a'), link: false, keepAlive: false });
  try {
    expect(() => webhookAnswer(gate, { principal: 'ops', profile: 'b' })).toThrow(
      expect.objectContaining({ code: 'PROFILE_UNKNOWN' }),
    );
    expect(webhookAnswer(gate, { principal: 'ops' })).toBe(null);
  } finally {
    gate.close();
  }
});
