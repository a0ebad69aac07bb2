/**
 * What is retried, what is not, and what is reported.
 */
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { hooked, QUICK } from '../support/hooked.ts';
import { receiver } from '../support/receiver.ts';

test('an event that is answered 500 comes again, with the same id and body, until it is accepted', async () => {
  const hook = await receiver();
  hook.answer(500);
  const { record, untilView, untilLogged } = await hooked([{ url: hook.url }]);
  record('lane-a');
  await hook.untilCount(2);
  hook.answer(200);
  const view = await untilView(({ delivered }) => delivered === 1);
  expect(view).toMatchObject({ pending: 0, failed: 0, dropped: 0, missed: 0, next_retry_at: null });
  expect(view.retried).toBeGreaterThanOrEqual(2);
  expect(view.last_error).toBe('it answered 500');
  expect(new Set(hook.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(new Set(hook.posts.map(({ body }) => body)).size).toBe(1);
  await untilLogged('events are accepted again');
});

test('failing is logged once until an event is accepted again, however often it is tried', async () => {
  const hook = await receiver();
  hook.answer(404);
  const { record, untilView, log } = await hooked([{ url: hook.url }]);
  for (const lane of ['a', 'b', 'c']) record(lane);
  await untilView(({ failed }) => failed === 3);
  expect(log.filter(({ message }) => message.includes('not accepted'))).toHaveLength(1);
});

test.each([
  [400, false],
  [401, false],
  [404, false],
  [410, false],
  [302, false],
  [408, true],
  [425, true],
  [429, true],
  [503, true],
])('%d is tried again: %s', async (status, again) => {
  const hook = await receiver();
  hook.answer((response, { event }) => {
    response.writeHead(event.subject === 'profile/first' ? status : 204).end();
  });
  const retry = { retries: 2, firstWaitMs: 1, longestWaitMs: 5, totalMs: 10_000 };
  const { record, untilView } = await hooked([{ url: hook.url }], { ...QUICK, retry });
  record('first');
  record('second');
  const view = await untilView(({ delivered }) => delivered === 1);
  expect(view).toMatchObject({ failed: 1, delivered: 1, retried: again ? 2 : 0 });
  expect(view.last_error).toContain(`it answered ${status}`);
  // In order: the second was not offered before the first was given up.
  const firsts = hook.posts.filter(({ event }) => event.subject === 'profile/first');
  expect(hook.posts.slice(0, firsts.length)).toEqual(firsts);
});

test('an event says how many before it were given up, so that its receiver knows to look', async () => {
  const hook = await receiver();
  hook.answer(410);
  const { record, untilView } = await hooked([{ url: hook.url }]);
  record('a');
  record('b');
  await untilView(({ failed, missed }) => failed === 2 && missed === 2);
  hook.answer(204);
  record('c');
  record('d');
  const view = await untilView(({ delivered }) => delivered === 2);
  expect(hook.posts.map(({ event }) => event.missed)).toEqual([undefined, 1, 2, undefined]);
  expect(view.missed).toBe(0);
});

test('a redirect is not followed', async () => {
  const elsewhere = await receiver();
  const hook = await receiver();
  hook.answer((response) => response.writeHead(307, { location: elsewhere.url }).end());
  const { record, untilView } = await hooked([{ url: hook.url }]);
  record('lane-a');
  const view = await untilView(({ failed }) => failed === 1);
  expect(view.last_error).toBe('it answered 307, and redirects are not followed');
  expect([hook.posts.length, elsewhere.posts.length]).toEqual([1, 0]);
});

test('Retry-After is waited for, and bounded', async () => {
  const hook = await receiver();
  const asked = ['1', '86400'];
  hook.answer((response) => {
    const after = asked.shift();
    if (after === undefined) response.writeHead(204).end();
    else response.writeHead(429, { 'retry-after': after }).end();
  });
  const retry = { retries: 4, firstWaitMs: 1, longestWaitMs: 1_500, totalMs: 60_000 };
  const { record, untilView } = await hooked([{ url: hook.url }], { ...QUICK, retry });
  record('lane-a');
  await hook.untilCount(1);
  const { next_retry_at } = await untilView(({ retried }) => retried === 1);
  expect(Date.parse(next_retry_at ?? '') - Date.now()).toBeGreaterThan(500);
  const [first, second, third] = await hook.untilCount(3);
  const waits = [second, third].map(
    (post, at) => (post?.atMs ?? 0) - ([first, second][at]?.atMs ?? 0),
  );
  expect(waits[0]).toBeGreaterThanOrEqual(990);
  expect(waits[1]).toBeGreaterThanOrEqual(1_490);
  expect(waits[1]).toBeLessThan(10_000);
});

test('a receiver that cannot be reached is said by the name of the error', async () => {
  const closed = await receiver();
  await closed.close();
  const { record, untilView } = await hooked([{ url: closed.url }]);
  record('lane-a');
  const view = await untilView(({ pending, failed }) => pending === 0 && failed === 1);
  expect(view).toMatchObject({ last_error: 'ECONNREFUSED', retried: 4, next_retry_at: null });
});

test('after its total time no attempt begins, whatever number of retries is left', async () => {
  const hook = await receiver();
  hook.answer(500);
  const retry = { retries: 1_000, firstWaitMs: 20, longestWaitMs: 40, totalMs: 300 };
  const { record, untilView } = await hooked([{ url: hook.url }], { ...QUICK, retry });
  record('lane-a');
  const view = await untilView(({ failed }) => failed === 1);
  expect(view.retried).toBeGreaterThan(0);
  expect(view.retried).toBeLessThan(20);
});

test('an answer that never comes is given up in time, and one that never ends counts by its status', async () => {
  const hook = await receiver();
  hook.answer((response, { event }) => {
    if (event.subject === 'profile/silent') return;
    response.writeHead(200);
    response.write('x'.repeat(100_000));
  });
  const retry = { retries: 0, firstWaitMs: 1, longestWaitMs: 1, totalMs: 10_000 };
  const limits = { ...QUICK, retry, timeoutMs: 200 };
  const { record, untilView } = await hooked([{ url: hook.url }], limits);
  record('silent');
  const silent = await untilView(({ failed }) => failed === 1);
  expect(silent.last_error).toBe('it did not answer within 0.2 s');
  record('endless');
  await untilView(({ delivered }) => delivered === 1);
});

test('of an answer that is long only the beginning is read', async () => {
  const hook = await receiver();
  let written = 0;
  const closed = new Promise<void>((resolve) => {
    hook.answer((response) => {
      response.writeHead(200);
      response.on('close', resolve);
      const more = () => {
        if (response.destroyed) return;
        written += 65_536;
        response.write('x'.repeat(65_536), () => setImmediate(more));
      };
      more();
    });
  });
  const { record, untilView } = await hooked([{ url: hook.url }]);
  record('lane-a');
  await untilView(({ delivered }) => delivered === 1);
  await closed;
  // What buffers between the two take.
  expect(written).toBeLessThan(8_000_000);
});

test('what answers no HTTP, or cuts the line, is a failure like others', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end('220 mail.example.org ESMTP\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { readonly port: number };
  const { record, untilView } = await hooked([{ url: `http://127.0.0.1:${port}/` }]);
  record('lane-a');
  expect((await untilView(({ failed }) => failed === 1)).last_error).toMatch(/^[A-Z_]+$/);
});
