/**
 * Frames that no gateway would send: each ends only its own connection.
 */
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { encode, type FromGateway, HEARTBEAT_MS, MAX_LINE_BYTES } from '@fleet-estop/protocol';
import { arm, lift } from '@fleet-estop/sentinel-core';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { restingDescriptors, untilDescriptors } from '../support/descriptors.ts';
import { startWatcherProcess } from '../support/process.ts';
import { greeted, helloOf, pushing, type RawGateway, rawGateway } from '../support/push.ts';
import { fleet as made } from '../support/states.ts';
import { disk, makeRoot } from '../support/watched.ts';

const hello = helloOf('fuzz', ['lane-a']);
const messages: readonly FromGateway[] = [
  hello,
  { type: 'ack', epoch: 'e', revision: 1, profile: 'lane-a', in_flight: 0 },
  { type: 'alive', profiles: [{ name: 'lane-a', in_flight: 0, refused: 0 }] },
];

const DEPTH = 30_000;
const DEEP = `${'['.repeat(DEPTH)}${']'.repeat(DEPTH)}`;

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', '__proto__', '../../etc', '\u0000', '\u202e', 'x'.repeat(300), 'default'),
);
const value: fc.Arbitrary<unknown> = fc.oneof(
  text,
  fc.integer(),
  fc.constantFrom(null, true, -1, 1.5, 1e308, Number.MAX_SAFE_INTEGER, [], {}, [[]], [null]),
  fc.constant(Array.from({ length: 5_000 }, (_, at) => ({ name: `p${at}`, doors: [] }))),
  fc.jsonValue(),
);
/** A message of which some fields say something else, or nothing. */
const hostile = fc
  .tuple(
    fc.constantFrom(...messages),
    fc.dictionary(
      fc.constantFrom('type', 'protocol', 'instance', 'pid', 'profiles', 'epoch', 'revision'),
      value,
      { maxKeys: 3 },
    ),
  )
  .map(([message, changed]) => `${JSON.stringify({ ...message, ...changed })}\n`);
const line = fc.oneof(
  { weight: 4, arbitrary: hostile },
  fc.constantFrom(...messages).map(encode),
  fc.json().map((json) => `${json}\n`),
  fc
    .tuple(fc.constantFrom(...messages), fc.nat(200))
    .map(([message, length]) => `${encode(message).slice(0, length)}\n`),
  fc.constantFrom(
    `{"type":${DEEP}}\n`,
    `{"type":"hello","profiles":${DEEP}}\n`,
    `${DEEP}\n`,
    `${'{"a":'.repeat(10_000)}\n`,
    'x'.repeat(MAX_LINE_BYTES + 1),
    'x'.repeat(1_000_000),
    '\n'.repeat(10_000),
  ),
);
const bytes = fc.oneof(
  { weight: 4, arbitrary: fc.array(line, { minLength: 1, maxLength: 4 }) },
  fc.uint8Array({ maxLength: 400 }).map((some) => [some]),
);
const ending = fc.constantFrom('end', 'destroy', 'wait');

async function watching() {
  const root = makeRoot('lane-a');
  // The watcher keeps the journal open, once there is one.
  mkdirSync(join(root, '.fleet'), { mode: 0o700 });
  writeFileSync(join(root, '.fleet/journal.ndjson'), '');
  const watcher = startWatcherProcess(root, '--no-http');
  await watcher.logged('watching');
  const path = join(root, '.fleet/watcher.sock');
  const home = join(root, 'profiles/lane-a');
  /** A pause and its lift reach it, whatever others say. */
  const isServed = async (gateway: RawGateway) => {
    arm(disk, home, {});
    await gateway.state('lane-a', ({ engaged }) => engaged);
    lift(disk, home, { everyone: true });
    await gateway.state('lane-a', ({ engaged }) => !engaged);
  };
  const well = async (instance: string) => {
    const gateway = await greeted({ path }, instance, ['lane-a']);
    const heart = setInterval(() => gateway.say({ type: 'alive', profiles: [] }), HEARTBEAT_MS);
    onTestFinished(() => clearInterval(heart));
    await isServed(gateway);
    return gateway;
  };
  return { watcher, path, isServed, well };
}

test('strange frames crash nothing, leave nothing open, and keep no gateway from getting its state', {
  timeout: 60_000,
}, async () => {
  const { watcher, path, isServed, well } = await watching();
  const good = await well('good');
  const before = await restingDescriptors(watcher.pid);
  await fc.assert(
    fc.asyncProperty(bytes, ending, async (chunks, how) => {
      const socket = connect(path);
      socket.on('error', () => {});
      socket.resume();
      const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
      for (const chunk of chunks) socket.write(chunk);
      if (how === 'destroy') socket.destroy();
      // What is refused is closed by the watcher; of the rest, nobody knows when it has said all.
      else if (how === 'end') socket.end();
      else socket.end(Uint8Array.of(0xff, 10));
      await closed;
    }),
    { numRuns: 500 },
  );
  await isServed(good);
  await untilDescriptors(watcher.pid, before);
  await well('late');
  expect(watcher.log.filter(({ level }) => level >= 50)).toEqual([]);
  watcher.signal('SIGTERM');
  expect(await watcher.ended).toBe(0);
});

test('connections that stop in the middle of a line, or say nothing, cost no more than themselves', {
  timeout: 60_000,
}, async () => {
  const { watcher, path, isServed, well } = await watching();
  const good = await well('good');
  const before = await restingDescriptors(watcher.pid);
  const open: Socket[] = [];
  onTestFinished(() => open.forEach((socket) => void socket.destroy()));
  for (let at = 0; at < 400; at++) {
    const socket = connect(path);
    socket.on('error', () => {});
    await once(socket, 'connect');
    if (at % 2 === 0) socket.write(encode(hello).slice(0, 40));
    open.push(socket);
  }
  await isServed(good);
  for (const socket of open) socket.destroy();
  await untilDescriptors(watcher.pid, before);
  await isServed(good);
});

test.each([
  ['a type', `{"type":${DEEP}}\n`],
  ['a field', `{"type":"hello","protocol":${DEEP}}\n`],
  ['a line', `${DEEP}\n`],
])('%s that is nested without end is refused like any other mistake', async (_what, deep) => {
  const push = await pushing(made({ a: [] }));
  const gateway = await rawGateway(push.path);
  gateway.send(deep);
  expect(await gateway.refused()).toMatchObject({ code: 'malformed' });
  await gateway.closed;
});
