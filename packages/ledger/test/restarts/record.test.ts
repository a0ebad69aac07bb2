/**
 * The record of a restart in a home: one at a time, hostile input, no links.
 */
import { spawnSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markOf, type ProcessMark } from '@fleet-estop/sentinel-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  atStep,
  beginRestart,
  type RestartRecord,
  readRestart,
  removeRestart,
  restartPath,
  writeRestart,
} from '../../src/index.ts';

function makeHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'fleet-restart-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

const mark = markOf() as ProcessMark;
const RECORD: RestartRecord = {
  id: 'r-1',
  holder: 'restart-host-1-abcd',
  hold: null,
  mark,
  oldInstances: ['i-1'],
  step: 'held',
  since: '2026-12-01T00:00:00+00:00',
  reason: 'new version',
};
/** A process that has certainly ended. */
const goneMark = (): ProcessMark => {
  const { pid } = spawnSync('true');
  return { ...mark, pid, birth: '1' };
};

it('the first record of a restart is written, and read back with the fate of its process', () => {
  const home = makeHome();
  expect(beginRestart(home, RECORD)).toBe('');
  expect(readRestart(home)).toEqual({ state: 'read', record: RECORD, fate: 'alive' });
  const later = atStep(RECORD, 'restarting', { oldInstances: ['i-2'] });
  expect(writeRestart(home, later)).toBe('');
  expect(readRestart(home)).toMatchObject({
    record: { step: 'restarting', oldInstances: ['i-2'], id: 'r-1' },
  });
  expect(removeRestart(home, 'r-1')).toBe('');
  expect(readRestart(home)).toEqual({ state: 'none' });
  expect(readdirSync(join(home, '.fleet'))).toEqual([]);
});

it('of two restarts exactly one begins', () => {
  const home = makeHome();
  expect(beginRestart(home, RECORD)).toBe('');
  expect(beginRestart(home, { ...RECORD, id: 'r-2' })).toBe('EEXIST');
  expect(readRestart(home)).toMatchObject({ record: { id: 'r-1' } });
});

it('the record of another restart is not removed', () => {
  const home = makeHome();
  beginRestart(home, RECORD);
  expect(removeRestart(home, 'r-2')).toBe('not-ours');
  expect(readRestart(home)).toMatchObject({ record: { id: 'r-1' } });
  expect(readdirSync(join(home, '.fleet'))).toEqual(['restart.json']);
});

it('a process that has ended is gone', () => {
  const home = makeHome();
  beginRestart(home, { ...RECORD, mark: goneMark() });
  expect(readRestart(home)).toMatchObject({ state: 'read', fate: 'gone' });
});

describe('what is not a record', () => {
  it.each([
    ['text', 'hello'],
    ['nothing', ''],
    ['a list', '[]'],
    ['another version', JSON.stringify({ ...RECORD, version: 2 })],
    ['no process', JSON.stringify({ version: 1, ...RECORD, mark: { pid: -1 } })],
    ['a step that there is not', JSON.stringify({ version: 1, ...RECORD, step: 'sleeping' })],
    ['a hold of a person', JSON.stringify({ version: 1, ...RECORD, holder: 'operator' })],
    ['an id with a path', JSON.stringify({ version: 1, ...RECORD, id: '../x' })],
    ['too much text', JSON.stringify({ version: 1, ...RECORD, reason: 'x'.repeat(2_000) })],
    [
      'too many instances',
      JSON.stringify({ version: 1, ...RECORD, oldInstances: Array(300).fill('i') }),
    ],
  ])('%s is unreadable', (_what, text) => {
    const home = makeHome();
    mkdirSync(join(home, '.fleet'));
    writeFileSync(restartPath(home), text);
    expect(readRestart(home)).toEqual({ state: 'unreadable', why: 'not-a-record' });
  });

  it('a file that is too long, a folder and a link are unreadable, and stay as they are', () => {
    const home = makeHome();
    mkdirSync(join(home, '.fleet'));
    writeFileSync(restartPath(home), Buffer.alloc(600 * 1024, 32));
    expect(readRestart(home)).toEqual({ state: 'unreadable', why: 'too-long' });
    rmSync(restartPath(home));
    mkdirSync(restartPath(home));
    expect(readRestart(home)).toEqual({ state: 'unreadable', why: 'not-a-file' });
    rmSync(restartPath(home), { recursive: true });
    const elsewhere = join(home, 'elsewhere');
    writeFileSync(elsewhere, 'kept');
    symlinkSync(elsewhere, restartPath(home));
    expect(readRestart(home)).toMatchObject({ state: 'unreadable', why: 'ELOOP' });
    expect(beginRestart(home, RECORD)).toBe('EEXIST');
    expect(readFileSync(elsewhere, 'utf8')).toBe('kept');
  });
});
