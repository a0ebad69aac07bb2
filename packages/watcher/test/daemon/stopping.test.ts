/**
 * A watcher that is asked to stop does so, whatever the state of its log.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { mountTmpfs, needsMounts } from '../support/mounts.ts';
import { built, runWatcherProcess } from '../support/process.ts';
import { disk, makeRoot } from '../support/watched.ts';

type Stderr = number | 'pipe';

/** A second for what is open, one for the log, and a busy machine. */
const SOON_MS = 5_000;
const LANES = 250;

function start(root: string, stderr: Stderr, stdout: Stderr | 'ignore' = 'ignore'): ChildProcess {
  const child = spawn(process.execPath, [built, '--root', root, '--port', '0'], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', USER: 'tester' },
    stdio: ['ignore', stdout, stderr],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** By its socket: its log tells nobody. */
function untilReady(root: string): void {
  expect(runWatcherProcess(['--root', root, '--check']).code).toBe(0);
}

async function stopped(child: ChildProcess, signal: NodeJS.Signals): Promise<unknown> {
  const ended = once(child, 'exit').then(([code, by]) => code ?? by);
  const late = new Promise((resolve) => setTimeout(resolve, SOON_MS, 'alive').unref());
  child.kill(signal);
  return Promise.race([ended, late]);
}

/** More than a pipe or a socket takes, and less than is kept for its reader. */
function talkative(): string {
  const names = Array.from({ length: LANES }, (_, n) => `lane-${n}`);
  const root = makeRoot(...names);
  const body = JSON.stringify({ reason: 'r'.repeat(1_000) });
  for (const name of names) writeFileSync(join(root, 'profiles', name, 'ESTOP'), body);
  return root;
}

/** A named pipe; the reading end is ours. */
function pipe(): { readonly reader: number; readonly writer: number } {
  const path = join(makeRoot(), 'pipe');
  execFileSync('mkfifo', [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(path, 'w');
  return { reader, writer };
}

function opened(path: string): number {
  const fd = openSync(path, 'a');
  onTestFinished(() => closeSync(fd));
  return fd;
}

const left = (root: string): readonly string[] =>
  readdirSync(join(root, '.fleet')).filter((name) => name !== 'journal.ndjson');

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s ends a watcher whose log is on a full device, with 0 and nothing left',
  async (signal) => {
    const root = makeRoot('lane-a');
    const child = start(root, opened('/dev/full'));
    untilReady(root);
    expect(await stopped(child, signal)).toBe(0);
    expect(left(root)).toEqual([]);
  },
);

test('a pipe that nobody reads does not keep it', async () => {
  const root = talkative();
  const { reader, writer } = pipe();
  onTestFinished(() => closeSync(reader));
  const child = start(root, writer);
  closeSync(writer);
  untilReady(root);
  expect(await stopped(child, 'SIGTERM')).toBe(0);
  expect(left(root)).toEqual([]);
});

test('a socket that nobody reads does not keep it', async () => {
  const root = talkative();
  const child = start(root, 'pipe');
  untilReady(root);
  expect(await stopped(child, 'SIGTERM')).toBe(0);
  expect(left(root)).toEqual([]);
});

test('a full pipe for both its log and its address, as by 2>&1, does not keep it', async () => {
  const root = talkative();
  const { reader, writer } = pipe();
  onTestFinished(() => closeSync(reader));
  const child = start(root, writer, writer);
  closeSync(writer);
  untilReady(root);
  expect(await stopped(child, 'SIGTERM')).toBe(0);
});

test('a pipe whose reader is gone costs the log, and nothing else', async () => {
  const root = makeRoot('lane-a');
  const { reader, writer } = pipe();
  const child = start(root, writer);
  closeSync(writer);
  untilReady(root);
  closeSync(reader);
  arm(disk, join(root, 'profiles/lane-a'), {});
  untilReady(root);
  expect(await stopped(child, 'SIGTERM')).toBe(0);
  expect(left(root)).toEqual([]);
});

test('a reader that was slow gets every line, the last one included', async () => {
  const root = talkative();
  const child = start(root, 'pipe');
  untilReady(root);
  let text = '';
  child.kill('SIGTERM');
  child.stderr?.on('data', (bytes) => {
    text += String(bytes);
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === 'hold.armed')).toHaveLength(LANES);
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped', signal: 'SIGTERM' });
});

test('a log in a file has every line', async () => {
  const root = talkative();
  const file = join(makeRoot(), 'log');
  const child = start(root, opened(file));
  untilReady(root);
  expect(await stopped(child, 'SIGTERM')).toBe(0);
  const lines = readFileSync(file, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.filter(({ msg }) => msg === 'hold.armed')).toHaveLength(LANES);
  expect(lines.at(-1)).toMatchObject({ msg: 'stopped' });
});

describe('a log on a disk that is full', () => {
  needsMounts();

  function fullDisk() {
    const dir = join(makeRoot(), 'disk');
    mkdirSync(dir);
    const unmount = mountTmpfs(dir);
    const log = join(dir, 'log');
    const fd = openSync(log, 'a');
    const ballast = join(dir, 'ballast');
    const fill = () => {
      try {
        writeFileSync(ballast, Buffer.alloc(2 * 1024 * 1024));
      } catch {
        // Full, as it should be.
      }
    };
    fill();
    return { log, ballast, fd, unmount };
  }

  test('keeps nobody who is asked to stop', async () => {
    const root = makeRoot('lane-a');
    const { fd } = fullDisk();
    const child = start(root, fd);
    closeSync(fd);
    untilReady(root);
    expect(await stopped(child, 'SIGTERM')).toBe(0);
    expect(left(root)).toEqual([]);
  });

  test('has every line once there is space again', async () => {
    const root = makeRoot('lane-a');
    const { fd, log, ballast } = fullDisk();
    const child = start(root, fd);
    closeSync(fd);
    untilReady(root);
    writeFileSync(ballast, '');
    expect(await stopped(child, 'SIGTERM')).toBe(0);
    const messages = readFileSync(log, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).msg);
    expect([messages.includes('watching'), messages.at(-1)]).toEqual([true, 'stopped']);
  });
});
