/** Which processes are certainly gone, which are alive, and which are unknown. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { fateOf } from '../../src/process/fate.ts';
import { here, type Place } from '../../src/process/place.ts';
import { markOf, type ProcessMark, parseMark, processAt } from '../../src/process/process-mark.ts';

function us(): ProcessMark {
  const mark = markOf();
  if (mark === null) throw new Error('this process is gone');
  return mark;
}

const elsewhere = (more: Partial<Place>): ProcessMark => ({
  ...us(),
  place: { ...here(), ...more },
});

function started(command: string, ...words: string[]): ChildProcess {
  const child = spawn(command, words, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

async function firstWord(child: ChildProcess): Promise<string> {
  const [chunk] = await once(child.stdout!, 'data');
  return String(chunk).trim();
}

function marked(child: ChildProcess): ProcessMark {
  const mark = markOf(child.pid);
  if (mark === null) throw new Error('it did not start');
  return mark;
}

async function until(fits: () => boolean): Promise<void> {
  while (!fits()) await delay(10);
}

test('this very process is alive, and its mark is the same whenever it is asked', () => {
  expect(fateOf(us())).toBe('alive');
  expect(markOf()).toEqual(us());
  expect(us().birth).toMatch(/^\d+$/);
});

test('a process that was killed is gone, and has no mark', async () => {
  const child = started('sleep', '60');
  const mark = marked(child);
  expect(fateOf(mark)).toBe('alive');
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  expect(fateOf(mark)).toBe('gone');
  expect(markOf(mark.pid)).toBeNull();
});

test('a stopped process is alive', async () => {
  const child = started('sleep', '60');
  const mark = marked(child);
  child.kill('SIGSTOP');
  expect(fateOf(mark)).toBe('alive');
});

test('a process that becomes another program is the same process', async () => {
  const child = started('sh', '-c', 'read -r go; exec sleep 60');
  const mark = marked(child);
  await delay(30);
  expect(fateOf(mark)).toBe('alive');
});

test('a killed process that nobody has waited for is gone', async () => {
  // A shell starts a child, then replaces itself by a program that never waits for the child.
  const parent = started('sh', '-c', 'sleep 60 & echo $!; exec tail -f /dev/null');
  const child = Number(await firstWord(parent));
  await until(() => nameOf(parent.pid) === 'tail');
  process.kill(child, 'SIGKILL');
  await until(() => processAt(child) === 'gone');
  expect(() => process.kill(child, 0)).not.toThrow();
});

const nameOf = (pid: number | undefined): string =>
  readFileSync(`/proc/${pid}/comm`, 'utf8').trim();

const python = spawnSync('python3', ['--version']).status === 0;

test('a process of which only the first thread ended is alive', async ({ skip }) => {
  if (!python) skip('no python3, which can make one');
  const program = [
    'import ctypes, threading, time',
    'threading.Thread(target=lambda: time.sleep(60)).start()',
    'print("started", flush=True)',
    'ctypes.CDLL(None).pthread_exit(None)',
  ].join('\n');
  const child = started('python3', '-c', program);
  const mark = marked(child);
  await firstWord(child);
  await until(() => stateOf(mark.pid) === 'Z');
  expect(fateOf(mark)).toBe('alive');
});

const stateOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.[0] ?? '';

test('a process id that was given to a later process is gone', () => {
  const { birth } = us();
  expect(fateOf({ ...us(), birth: String(Number(birth) - 100) })).toBe('gone');
  expect(fateOf({ ...us(), birth: String(Number(birth) + 100) })).toBe('gone');
});

test('a birth that is measured slightly differently, or unknown, is the same process', () => {
  const { birth } = us();
  for (const reported of [String(Number(birth) + 1), String(Number(birth) - 2), '', 'Mon Jan 1']) {
    expect(fateOf({ ...us(), birth: reported })).toBe('alive');
  }
});

test('births measured by different clocks are not compared', () => {
  const mark = { ...elsewhere({ clock: 'time:[1]' }), birth: '1' };
  expect(fateOf(mark, { ...here(), clock: 'time:[2]' })).toBe('alive');
  expect(fateOf(mark, { ...here(), clock: 'time:[1]' })).toBe('gone');
});

test('what ran before this machine was started again is gone', () => {
  const before = { boot: 'another boot', machine: 'm1' };
  expect(fateOf(elsewhere(before), { ...here(), machine: 'm1' })).toBe('gone');
  expect(fateOf(elsewhere({ ...before, pids: 'pid:[1]' }), { ...here(), machine: 'm1' })).toBe(
    'gone',
  );
});

test('what runs elsewhere is unknown, though its id is free here', async () => {
  const child = started('true');
  const pid = child.pid ?? 0;
  await once(child, 'exit');
  const now = { ...here(), machine: 'm1' };
  const fate = (place: Partial<Place>) => fateOf({ ...elsewhere(place), pid }, now);
  expect(fate({ machine: 'm1' })).toBe('gone');
  expect(fate({ pids: 'pid:[1]' })).toBe('unknown');
  expect(fate({ pids: '' })).toBe('unknown');
  expect(fate({ boot: 'b2', machine: 'm2' })).toBe('unknown');
  expect(fate({ boot: 'b2', machine: 'm1', host: 'another' })).toBe('unknown');
  expect(fate({ boot: 'b2', machine: '' })).toBe('unknown');
  expect(fate({ boot: '', machine: 'm1' })).toBe('unknown');
});

const canUnshare = spawnSync('unshare', ['-Urpf', 'true']).status === 0;

test('a process in a container is unknown to those outside, by its own word', async ({ skip }) => {
  if (!canUnshare) skip('no process id namespace can be made here');
  const says = 'echo "$(readlink /proc/self/ns/pid) $$"; exec sleep 60';
  const inside = started('unshare', '-Urpf', '--mount-proc', 'sh', '-c', says);
  const [pids = '', pid = ''] = (await firstWord(inside)).split(' ');
  expect(pids).not.toBe(here().pids);
  expect(fateOf({ pid: Number(pid), birth: '5', place: { ...here(), pids } })).toBe('unknown');
});

test('a mark comes back as it was written, and nonsense is none', () => {
  expect(parseMark(JSON.parse(JSON.stringify(us())))).toEqual(us());
  for (const text of ['1', '"a"', '[]', 'null', '{}', '{"pid":-1}', '{"pid":"1"}', '{"pid":1.5}']) {
    expect(parseMark(JSON.parse(text))).toBeNull();
  }
});

test('a mark that says too little is of an unknown process', () => {
  for (const text of ['{"pid":1}', '{"pid":1,"place":[]}', '{"pid":1,"place":{"boot":5}}']) {
    const mark = parseMark(JSON.parse(text));
    expect(mark === null ? null : fateOf(mark)).toBe('unknown');
  }
});
