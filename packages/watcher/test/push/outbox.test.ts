/**
 * What waits to be written to one gateway.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Outbox, outbox } from '../../src/push/outbox.ts';

interface Pair {
  readonly box: Outbox;
  readonly near: Socket;
  readonly far: Socket;
  readonly wrote: readonly string[];
}

async function pair(): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-outbox-'));
  const path = join(folder, 's');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  const far = connect(path).pause();
  const near = await accepted;
  onTestFinished(() => {
    near.destroy();
    far.destroy();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const wrote: string[] = [];
  const box = outbox(
    near,
    (profile, revision) => wrote.push(`${profile}${revision}`),
    () => 1,
  );
  return { box, near, far, wrote };
}

const line = (text: string, bytes = 20_000) => Buffer.from(`${text.padEnd(bytes, '.')}\n`);

/** Fills what the kernel and Node hold for a reader. */
async function fill({ box, near }: Pair): Promise<number> {
  let revision = 0;
  for (let turns = 0; turns < 10; turns++) {
    while (box.blockedSince() === null) {
      revision += 1;
      box.put('fill', { revision, line: line(`fill${revision}`) });
    }
    // The kernel may take more in a while.
    await new Promise(setImmediate);
  }
  expect(near.writableLength).toBeGreaterThan(0);
  return revision;
}

test('of each profile only the newest waits, whatever has passed', async () => {
  const both = await pair();
  await fill(both);
  const { box, near, wrote } = both;
  const before = wrote.length;
  for (let revision = 1; revision <= 2_000; revision++) {
    for (const profile of ['a', 'b', 'c']) box.put(profile, { revision, line: line('x') });
  }
  expect(box.size).toBe(3);
  expect(near.writableLength).toBeLessThanOrEqual(near.writableHighWaterMark + 20_001);
  expect(wrote).toHaveLength(before);
  expect(box.newest('a')).toBe(2_000);
});

test('when the reader reads again it gets those, and only what was handed over counts as said', async () => {
  const both = await pair();
  await fill(both);
  const { box, far, wrote } = both;
  for (const revision of [1, 2, 3]) box.put('a', { revision, line: line(`a${revision}`) });
  expect(wrote).not.toContain('a3');
  let text = '';
  await new Promise<void>((resolve) => {
    far.on('data', (chunk) => {
      text += chunk.toString();
      if (text.includes('a3')) resolve();
    });
    far.resume();
  });
  expect(text).not.toContain('a1.');
  expect(text).not.toContain('a2.');
  expect(wrote.filter((name) => name.startsWith('a'))).toEqual(['a3']);
  expect(box.size).toBe(0);
  expect(box.blockedSince()).toBe(null);
});

test('a heartbeat never waits', async () => {
  const both = await pair();
  await fill(both);
  const { box, near } = both;
  const before = near.writableLength;
  box.offer(line('alive', 100));
  expect(near.writableLength).toBe(before);
});

test('a profile that is no longer served takes with it what waits', async () => {
  const both = await pair();
  await fill(both);
  const { box } = both;
  box.put('a', { revision: 1, line: line('a') });
  box.put('b', { revision: 1, line: line('b') });
  box.forgetAllBut(new Set(['b']));
  expect(box.size).toBe(1);
  expect(box.newest('a')).toBe(null);
});
