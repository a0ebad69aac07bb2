/**
 * Refused work over HTTP, from receipts, which may contain anything.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { openReceipts, receiptsPath } from '@fleet-estop/ledger';
import { expect, onTestFinished, test } from 'vitest';
import { receiptCache } from '../../src/serve/receipt-cache.ts';
import { readReceiptTail } from '../../src/serve/receipt-tail.ts';
import { refusals } from '../../src/serve/refusals.ts';
import { readFleet } from '../../src/state/read-fleet.ts';
import { createStore } from '../../src/state/store.ts';
import { type Answer, type ServedFleet, served, writeToken } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

const NOW = Date.UTC(2026, 10, 29, 17, 0, 0, 0);
const homeOf = (root: string, lane: string) =>
  lane === 'default' ? root : join(root, 'profiles', lane);

interface Refused {
  readonly door?: string;
  readonly principal?: string | null;
  /** Seconds before NOW. */
  readonly ago?: number;
}

/** As a gateway leaves them. */
function refuse(root: string, lane: string, ...all: readonly Refused[]): void {
  for (const { door = 'turn', principal = 'ops', ago = 0 } of all) {
    const now = () => NOW - ago * 1_000;
    const receipts = openReceipts(homeOf(root, lane), { instance: 'g1', now });
    const refusal = { door, principal, profile: lane, holds: ['h1'] };
    expect(receipts.write(refusal)).toEqual({ written: true });
    receipts.close();
  }
}

/** The file of a lane's receipts, with this in it. */
function put(root: string, lane: string, text: string | Buffer): string {
  const path = receiptsPath(homeOf(root, lane));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

const line = (more: object = {}): string =>
  `${JSON.stringify({
    at: '2026-11-29T17:00:00.000+00:00',
    door: 'turn',
    principal: 'ops',
    profile: 'lane-a',
    holds: ['h1'],
    pid: 7,
    instance: 'g1',
    ...more,
  })}\n`;

/** Where names are told without a token. */
const askSocket = (fleet: ServedFleet, path: string) =>
  fleet.ask(path, { socketPath: fleet.socket });

const told = ({ json }: Answer) =>
  json.refusals.map(({ profile, door, principal }: Record<string, unknown>) =>
    [profile, door, principal].join(' '),
  );

test('what every profile has refused is counted by door, and the newest come first', async () => {
  const root = makeRoot('lane-a', 'lane-b', 'lane-c');
  refuse(root, 'lane-a', { ago: 30 }, { door: 'cron', principal: null, ago: 20 }, { ago: 5 });
  refuse(root, 'lane-b', { principal: 'ci', ago: 10 });
  const fleet = await served(root);
  const answer = await askSocket(fleet, '/v1/refusals');
  expect(answer.status).toBe(200);
  expect(answer.json).toMatchObject({
    schema: 'fleet/refusals/v1',
    root,
    asked: { profile: null, door: null, since: null, limit: 100 },
    complete: true,
    unread: 0,
    profiles_unreadable: null,
    refused: 4,
  });
  expect(answer.json.profiles).toEqual([
    {
      profile: 'lane-a',
      refused: 3,
      doors: [
        { door: 'turn', refused: 2 },
        { door: 'cron', refused: 1 },
      ],
      other_doors: 0,
      cut: false,
      oldest_read: '2026-11-29T16:59:30.000+00:00',
      corrupt: 0,
      unreadable: null,
    },
    expect.objectContaining({ profile: 'lane-b', refused: 1 }),
  ]);
  expect(told(answer)).toEqual([
    'lane-a turn ops',
    'lane-b turn ci',
    'lane-a cron ',
    'lane-a turn ops',
  ]);
  expect(answer.json.refusals[0]).toEqual({
    at: '2026-11-29T16:59:55.000+00:00',
    profile: 'lane-a',
    door: 'turn',
    principal: 'ops',
    holds: ['h1'],
    pid: process.pid,
    instance: 'g1',
  });
});

test('what a lift skipped is not counted as refused, and is no corrupt line', async () => {
  const root = makeRoot('lane-a');
  put(root, 'lane-a', line({ skipped: true }) + line() + line({ skipped: true }));
  const { json } = await askSocket(await served(root), '/v1/refusals');
  expect(json).toMatchObject({ refused: 1, complete: true });
  expect(json.profiles).toMatchObject([{ refused: 1, corrupt: 0 }]);
  expect(json.refusals).toHaveLength(1);
});

test('a client over TCP without the token sees everything of a refusal but whose it was', async () => {
  const root = makeRoot('lane-a');
  refuse(root, 'lane-a', { ago: 5 }, { door: 'cron', principal: null });
  const fleet = await served(root);
  const onSocket = await askSocket(fleet, '/v1/refusals');
  expect([onSocket.json.people, told(onSocket)]).toEqual([
    'told',
    ['lane-a cron ', 'lane-a turn ops'],
  ]);
  const token = writeToken(root);
  for (const path of ['/v1/refusals', '/v1/refusals?profile=lane-a&limit=1000']) {
    const { status, text, json } = await fleet.ask(path);
    expect([status, json.people]).toEqual([200, 'withheld']);
    expect(text).not.toContain('ops');
    expect(json.refusals).toEqual(
      onSocket.json.refusals.map((receipt: object) => ({ ...receipt, principal: null })),
    );
    expect(json.profiles).toEqual(onSocket.json.profiles);
  }
  const headers = { authorization: `Bearer ${token}` };
  const withToken = await fleet.ask('/v1/refusals', { headers });
  expect(withToken.json).toMatchObject({ people: 'told', refusals: onSocket.json.refusals });
});

test('a token that is wrong is refused, and never taken for none', async () => {
  const root = makeRoot('lane-a');
  refuse(root, 'lane-a', {});
  const fleet = await served(root);
  const wrong = ['', 'Bearer', `Bearer ${'x'.repeat(48)}`, `Digest ${'x'.repeat(48)}`];
  const answers = async (authorization: string) => {
    const paths = ['/v1/refusals', '/v1/profiles/lane-a', '/v1/profiles/lane-z'];
    const all = paths.map((path) => fleet.ask(path, { headers: { authorization } }));
    return (await Promise.all(all)).map(({ status, json, headers }) => [
      status,
      json.code,
      headers['www-authenticate'],
    ]);
  };
  const refused = [401, 'token-wrong', 'Bearer realm="fleet"'];
  // Without a token file, every token is wrong.
  for (const given of wrong) expect(await answers(given)).toEqual([refused, refused, refused]);
  const token = writeToken(root);
  for (const given of [...wrong, `Bearer ${token.slice(1)}`, token]) {
    expect(await answers(given)).toEqual([refused, refused, refused]);
  }
  expect((await answers(`Bearer ${token}`)).map(([status]) => status)).toEqual([200, 200, 404]);
  // One that others may read proves nothing.
  chmodSync(join(root, '.fleet/token'), 0o644);
  const unusable = [503, 'token-unusable', undefined];
  expect(await answers(`Bearer ${token}`)).toEqual([unusable, unusable, unusable]);
});

test('of a fleet that is gone nothing is said to be all', async () => {
  const root = makeRoot('lane-a');
  refuse(root, 'lane-a', {});
  const fleet = await served(root, {}, { sweepMs: 50 });
  renameSync(root, `${root}-aside`);
  onTestFinished(() => rmSync(`${root}-aside`, { recursive: true, force: true }));
  await expect.poll(() => fleet.watcher.store.snapshot().fleet.unreadable).not.toBe(null);
  for (const query of ['', '?profile=lane-a']) {
    const { status, json } = await fleet.ask(`/v1/refusals${query}`);
    expect([status, json.complete, json.profiles_unreadable]).toEqual([200, false, 'ENOENT']);
  }
});

test('a password that a proxy asked for and passes on is no token, neither right nor wrong', async () => {
  const root = makeRoot('lane-a');
  refuse(root, 'lane-a', {});
  const fleet = await served(root);
  const authorization = `Basic ${Buffer.from(`ops:${writeToken(root)}`).toString('base64')}`;
  const { status, json } = await fleet.ask('/v1/refusals', { headers: { authorization } });
  expect([status, json.people, json.refused]).toEqual([200, 'withheld', 1]);
});

test('one profile, one door, a time and a number can be asked for', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  refuse(root, 'lane-a', { ago: 7_200 }, { ago: 60 }, { door: 'cron', ago: 30 }, { ago: 20 });
  refuse(root, 'lane-b', { ago: 10 });
  const fleet = await served(root);
  const asked = async (query: string) => {
    const answer = await fleet.ask(`/v1/refusals?${query}`);
    return [answer.json.refused, told(answer).length];
  };
  expect(await asked('profile=lane-a')).toEqual([4, 4]);
  expect(await asked('profile=lane-a&door=turn')).toEqual([3, 3]);
  expect(await asked('door=cron')).toEqual([1, 1]);
  expect(await asked('limit=2')).toEqual([5, 2]);
  expect(await asked('limit=0')).toEqual([5, 0]);
  for (const since of ['2026-11-29T16:59:00Z', '2026-11-29T18:59:00%2B02:00']) {
    expect([since, await asked(`profile=lane-a&since=${since}`)]).toEqual([since, [3, 3]]);
  }
  // A plus sign that nobody has escaped.
  expect(await asked('since=2026-11-29T18:59:00+02:00')).toEqual([4, 4]);
});

test('the last so long is counted from now', async () => {
  const root = makeRoot('lane-a');
  const at = (ago: number) => new Date(Date.now() - ago * 1_000).toISOString();
  put(root, 'lane-a', line({ at: at(7_200) }) + line({ at: at(60) }));
  const fleet = await served(root);
  const asked = async (since: string) =>
    (await fleet.ask(`/v1/refusals?since=${since}`)).json.refused;
  expect([await asked('1h'), await asked('3h'), await asked('1m')]).toEqual([1, 2, 0]);
});

test('what is not understood is refused, and a profile that is not there is not "none"', async () => {
  const fleet = await served();
  for (const query of [
    'profile=..%2Fx',
    'profile=',
    'door=',
    `door=${'x'.repeat(257)}`,
    'since=yesterday',
    'since=2026-11-29T17:00:00',
    'since=2026-11-29',
    'since=-0001-01-01T00:00:00Z',
    'since=9999-12-31T23:59:59-23:00',
    'limit=-1',
    'limit=1001',
    'limit=1e3',
    'limit=1&limit=2',
    'limt=1',
    '__proto__=1',
  ]) {
    const { status, json } = await fleet.ask(`/v1/refusals?${query}`);
    expect([query, status, json.code]).toEqual([query, 400, 'value-invalid']);
  }
  const missing = await fleet.ask('/v1/refusals?profile=lane-z');
  expect([missing.status, missing.json.code]).toEqual([404, 'profile-unknown']);
  const wrong = await fleet.ask('/v1/refusals', { method: 'POST' });
  expect(wrong.status).toBe(405);
});

test('refusals of the root are shown, though no gateway serves it as a profile any more', async () => {
  const root = makeRoot('lane-a');
  refuse(root, 'default', {});
  const fleet = await served(root);
  for (const path of ['/v1/refusals', '/v1/refusals?profile=default']) {
    expect(told(await askSocket(fleet, path))).toEqual(['default turn ops']);
  }
});

test('a home that two profiles share by a link is counted once', async () => {
  const root = makeRoot('lane-a');
  symlinkSync('lane-a', join(root, 'profiles/lane-b'));
  refuse(root, 'lane-a', {});
  const fleet = await served(root);
  expect((await fleet.ask('/v1/refusals')).json.refused).toBe(1);
  expect((await fleet.ask('/v1/refusals?profile=lane-b')).json.refused).toBe(1);
});

test('lines that are no receipts are counted, and cost no other line', async () => {
  const root = makeRoot('lane-a');
  put(
    root,
    'lane-a',
    Buffer.concat([
      Buffer.from(line({ principal: 'first' })),
      Buffer.from('not json\n[]\nnull\n\n'),
      Buffer.from(line({ at: 'never' })),
      // Outside the years that can be said again.
      Buffer.from(line({ at: '0001-01-01T00:00:00+23:59' })),
      Buffer.from(line({ door: 7 })),
      Buffer.from('{"door":"\xff\xfe"}\n', 'latin1'),
      Buffer.from(`${' '.repeat(70_000)}\n`),
      Buffer.from('['.repeat(60_000)),
      Buffer.from('\n'),
      Buffer.from(line({ principal: 'second', more: 1, pid: -3 })),
      // Without an end nobody knows whether it is all of it.
      Buffer.from(line().trimEnd()),
    ]),
  );
  const fleet = await served(root);
  const answer = await askSocket(fleet, '/v1/refusals');
  expect(told(answer)).toEqual(['lane-a turn second', 'lane-a turn first']);
  expect(answer.json).toMatchObject({ complete: false, profiles: [{ corrupt: 10, refused: 2 }] });
  expect(answer.json.refusals[0].pid).toBe(0);
});

test('text of a receipt stays text, is bounded, and speaks for no other profile', async () => {
  const root = makeRoot('lane-a', 'lane-b');
  const strange = '<script>\u202e\n"\ud800';
  put(
    root,
    'lane-a',
    line({ door: strange, principal: 'x'.repeat(5_000), profile: 'lane-b' }) +
      line({ holds: [...Array.from({ length: 100 }, (_, at) => `h${at}`), { toString: 1 }] }),
  );
  const fleet = await served(root);
  const { json, headers } = await askSocket(fleet, '/v1/refusals');
  expect(headers['content-type']).toContain('application/json');
  const [second, first] = json.refusals;
  expect([first.profile, first.door, first.principal.length]).toEqual([
    'lane-a',
    strange.replace('\ud800', '\ufffd'),
    256,
  ]);
  expect(second.holds).toHaveLength(64);
  expect(json.profiles.map(({ profile }: { profile: string }) => profile)).toEqual(['lane-a']);
});

test('doors that somebody made up by the thousand are counted, and not all named', async () => {
  const root = makeRoot('lane-a');
  put(root, 'lane-a', Array.from({ length: 500 }, (_, at) => line({ door: `d${at}` })).join(''));
  const fleet = await served(root);
  const [lane] = (await fleet.ask('/v1/refusals?limit=0')).json.profiles;
  expect([lane.refused, lane.doors.length, lane.other_doors]).toEqual([500, 16, 484]);
});

test('what cannot be read is said, and is not taken for nothing', async () => {
  const root = makeRoot('lane-a', 'lane-b', 'lane-c', 'lane-d');
  execFileSync('mkfifo', [put(root, 'lane-a', '').replace('refused', 'refused.1')]);
  const link = put(root, 'lane-b', '');
  rmSync(link);
  symlinkSync('/etc/passwd', link);
  mkdirSync(receiptsPath(homeOf(root, 'lane-c')), { recursive: true });
  symlinkSync('loop', join(homeOf(root, 'lane-d'), 'loop'));
  symlinkSync('loop', join(homeOf(root, 'lane-d'), '.fleet'));
  const fleet = await served(root);
  const { json } = await fleet.ask('/v1/refusals');
  const whys = json.profiles.map(({ profile, unreadable }: Record<string, unknown>) => [
    profile,
    unreadable,
  ]);
  expect(json.complete).toBe(false);
  expect(whys).toEqual([
    ['lane-a', 'refused.1.ndjson: not-a-file'],
    ['lane-b', 'refused.ndjson: ELOOP'],
    ['lane-c', 'refused.ndjson: not-a-file'],
    ['lane-d', 'refused.ndjson: ELOOP'],
  ]);
});

test('profiles that cannot be listed are not "no profiles"', async () => {
  const root = makeRoot('lane-a');
  const store = createStore({ ...readFleet(disk, root), unreadable: 'EACCES' });
  const answer = refusals({ store }).answer;
  const query = { profile: null, door: null, sinceMs: null, limit: 1 };
  expect(await answer(query)).toMatchObject({ complete: false, profiles_unreadable: 'EACCES' });
});

test('of a profile that has refused much the newest is read, and that there is more is said', async () => {
  const root = makeRoot('lane-a');
  const at = (second: number) => new Date(NOW + second * 1_000).toISOString();
  const path = put(
    root,
    'lane-a',
    Array.from({ length: 20_000 }, (_, second) => line({ at: at(second) })).join(''),
  );
  const fleet = await served(root);
  const all = await fleet.ask('/v1/refusals?profile=lane-a&limit=1000');
  const [lane] = all.json.profiles;
  const each = statSync(path).size / 20_000;
  expect(lane.refused * each).toBeLessThanOrEqual(512 * 1024);
  expect(lane.refused * each).toBeGreaterThan(511 * 1024);
  expect([lane.cut, all.json.complete, all.json.refusals.length]).toEqual([true, false, 1_000]);
  expect(all.json.refusals[0].at).toBe(at(19_999).replace('Z', '+00:00'));
  // Of the last minute all is known.
  const late = await fleet.ask(`/v1/refusals?profile=lane-a&since=${at(19_940)}`);
  expect(late.json).toMatchObject({ refused: 60, complete: true, profiles: [{ cut: false }] });
});

test('files that were moved aside are read up to the same bound, the newest first', () => {
  const root = makeRoot('lane-a');
  const home = homeOf(root, 'lane-a');
  const path = put(root, 'lane-a', line({ door: 'oldest' }) + line({ door: 'old' }));
  const size = statSync(path).size;
  renameSync(path, path.replace('refused', 'refused.9'));
  const long = line({ door: 'new', principal: 'x'.repeat(200) });
  put(root, 'lane-a', long);
  renameSync(path, path.replace('refused', 'refused.10'));
  put(root, 'lane-a', line({ door: 'newest' }));
  const doors = (maxBytes: number) => {
    const { receipts, isCut, corrupt } = readReceiptTail(home, maxBytes);
    return [receipts.map(({ door }) => door).join(' '), isCut, corrupt];
  };
  const newest = line({ door: 'newest' }).length;
  const fresh = newest + long.length;
  expect(doors(1_000_000)).toEqual(['newest new old oldest', false, 0]);
  expect(doors(fresh + size)).toEqual(['newest new old oldest', false, 0]);
  expect(doors(fresh + size - 1)).toEqual(['newest new old', true, 0]);
  // What is older than something that had no place is not told.
  expect(doors(fresh - 1)).toEqual(['newest', true, 0]);
  expect(doors(newest)).toEqual(['newest', true, 0]);
  expect(doors(newest - 1)).toEqual(['', true, 0]);
  // Moved aside after it was opened: it is told once, and what is newer was begun after it.
  linkSync(path, path.replace('refused', 'refused.11'));
  writeFileSync(path.replace('refused', 'refused.12'), line({ door: 'after' }));
  expect(doors(1_000_000)).toEqual(['newest new old oldest', false, 0]);
  for (const number of [11, 12]) rmSync(path.replace('refused', `refused.${number}`));
  // Moved aside in this moment, and nothing was refused since.
  renameSync(path, path.replace('refused', 'refused.11'));
  expect(doors(1_000_000)).toEqual(['newest new old oldest', false, 0]);
});

test('what was read is kept while its files are what they were, and no longer', () => {
  const root = makeRoot('lane-a');
  const home = homeOf(root, 'lane-a');
  const cache = receiptCache();
  const doors = (maxBytes = 10_000) =>
    cache.tailOf(home, maxBytes).tail.receipts.map(({ door }) => door);
  expect(doors()).toEqual([]);
  const path = put(root, 'lane-a', line({ door: 'one' }));
  expect(doors()).toEqual(['one']);
  expect(cache.tailOf(home, 10_000).tail).toBe(cache.tailOf(home, 5_000).tail);
  appendFileSync(path, line({ door: 'two' }));
  expect(doors()).toEqual(['two', 'one']);
  // As much of it, at another time.
  writeFileSync(path, line({ door: 'six' }) + line({ door: 'ten' }));
  utimesSync(path, new Date(), new Date(NOW));
  expect(doors()).toEqual(['ten', 'six']);
  // A smaller look that was cut is no answer to a larger one.
  put(root, 'lane-a', line({ door: 'one' }) + line({ door: 'two' }));
  expect(doors(line({ door: 'two' }).length)).toEqual(['two']);
  expect(doors()).toEqual(['two', 'one']);
  renameSync(path, path.replace('refused', 'refused.1'));
  expect(doors()).toEqual(['two', 'one']);
  rmSync(path.replace('refused', 'refused.1'));
  expect(doors()).toEqual([]);
});

test('what is kept is bounded, and what was asked for last stays', () => {
  const lanes = Array.from({ length: 10 }, (_, at) => `lane-${at}`);
  const root = makeRoot(...lanes);
  for (const lane of lanes) put(root, lane, line().repeat(10));
  const each = line().length * 10 + 256;
  const cache = receiptCache(3 * each);
  const tails = lanes.map((lane) => cache.tailOf(homeOf(root, lane), 10_000).tail);
  const isKept = (at: number) =>
    cache.tailOf(homeOf(root, lanes[at] ?? ''), 10_000).tail === tails[at];
  expect([isKept(9), isKept(8), isKept(7)]).toEqual([true, true, true]);
  expect(isKept(6)).toBe(false);
  // It took the place of the one that was asked for longest ago.
  expect([isKept(8), isKept(9)]).toEqual([true, false]);
});

test('reading that takes too long ends, and says how many profiles it did not reach', async () => {
  const lanes = Array.from({ length: 300 }, (_, at) => `lane-${at}`);
  const root = makeRoot(...lanes);
  const text = line().repeat(200);
  for (const lane of lanes) put(root, lane, text);
  const store = createStore(readFleet(disk, root));
  const query = { profile: null, door: null, sinceMs: null, limit: 1 };
  const answer = await refusals({ store, readMs: 0 }).answer(query);
  if (!('unread' in answer)) throw new Error('refused');
  expect(answer.unread).toBeGreaterThan(0);
  expect(answer.profiles.length + answer.unread).toBe(300);
  expect(answer.complete).toBe(false);
});

test('a thousand profiles that have refused much keep nobody else waiting', {
  timeout: 60_000,
}, async () => {
  const lanes = Array.from({ length: 1_000 }, (_, at) => `lane-${String(at).padStart(4, '0')}`);
  const root = makeRoot(...lanes);
  const text = line().repeat(500);
  for (const lane of lanes) put(root, lane, text);
  const fleet = await served(root, {}, { sweepMs: 600_000 });
  let longestMs = 0;
  let lastMs = performance.now();
  const beat = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
  }, 1);
  onTestFinished(() => clearInterval(beat));
  const order: string[] = [];
  const ask = async (path: string) => {
    const beganMs = performance.now();
    const answer = await fleet.ask(path);
    order.push(path);
    return { ...answer, ms: Math.round(performance.now() - beganMs) };
  };
  let [first] = await Promise.all([ask('/v1/refusals?limit=1000'), ask('/healthz')]);
  const longest = Math.round(longestMs);
  expect(order).toEqual(['/healthz', '/v1/refusals?limit=1000']);
  // Where the machine is busy, reading all of them takes longer than one answer may.
  while (first.json.unread > 0) first = await ask('/v1/refusals?limit=1000');
  expect(first.json).toMatchObject({ complete: false });
  expect(first.json.profiles).toHaveLength(1_000);
  expect(first.json.refusals).toHaveLength(1_000);
  const second = await ask('/v1/refusals?limit=1000');
  const { rss } = process.memoryUsage();
  process.stdout.write(
    `refusals of 1,000 lanes: ${first.ms} ms, and ${second.ms} ms once they are kept; ` +
      `others waited ${longest} ms at most; ${first.text.length} bytes; rss ${rss >> 20} MiB\n`,
  );
  // More than a few at once are sent away rather than kept, while receipts have to be read anew.
  for (const lane of lanes) put(root, lane, `${text}${line()}`);
  const many = await Promise.all(Array.from({ length: 40 }, () => ask('/v1/refusals?limit=0')));
  const statuses = many.map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  const busy = many.find(({ status }) => status === 503);
  expect([busy?.json.code, busy?.headers['retry-after']]).toEqual(['busy', '1']);
  expect((await ask('/v1/refusals?profile=lane-0007')).status).toBe(200);
});
