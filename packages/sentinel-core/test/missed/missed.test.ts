/** What a lift says about missed work: written before the lift, read after it, hostile in between. */
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MISSED_CHOICES, readMissed, removeMissed, writeMissed } from '../../src/index.ts';
import { scopeDir } from '../support/scope-dir.ts';

const NOW = Date.parse('2026-12-01T12:00:00Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const folderOf = (dir: string): string => join(dir, '.fleet', 'missed');
const fileOf = (dir: string, name: string): string => join(folderOf(dir), name);
const skip = (hold: string) => ({ hold, choice: 'skip', by: 'chris' }) as const;

/** A scope with a choice `skip` for the hold `h1`. */
function chosen(): string {
  const dir = scopeDir();
  expect(writeMissed(dir, skip('h1'), NOW)).toEqual({ written: true });
  return dir;
}

test.each(MISSED_CHOICES)('`%s` is read as it was written', (choice) => {
  const dir = scopeDir();
  writeMissed(dir, { hold: 'h1', choice, by: 'chris' }, NOW);
  expect(readMissed(dir, 'h1', NOW)).toEqual({ state: 'chosen', choice });
  expect(JSON.parse(readFileSync(fileOf(dir, 'h1.json'), 'utf8'))).toEqual({
    version: 1,
    choice,
    hold: 'h1',
    by: 'chris',
    at: '2026-12-01T12:00:00.000+00:00',
  });
});

test('a choice is for one hold: nobody has chosen for another', () => {
  expect(readMissed(chosen(), 'h2', NOW)).toEqual({ state: 'none' });
  expect(readMissed(scopeDir(), 'h1', NOW)).toEqual({ state: 'none' });
});

test('the newest choice replaces the earlier one, and nothing else is left', () => {
  const dir = chosen();
  writeMissed(dir, { hold: 'h1', choice: 'ask', by: 'kim' }, NOW);
  expect(readMissed(dir, 'h1', NOW)).toEqual({ state: 'chosen', choice: 'ask' });
  expect(readdirSync(folderOf(dir))).toEqual(['h1.json']);
});

test('a removed choice was never made; removing it again is no failure', () => {
  const dir = chosen();
  expect([
    removeMissed(dir, 'h1'),
    removeMissed(dir, 'h1'),
    removeMissed(scopeDir(), 'h1'),
  ]).toEqual(['', '', '']);
  expect(readMissed(dir, 'h1', NOW)).toEqual({ state: 'none' });
});

test.each(['../../ESTOP', '.h1', '', 'a/b', 'h\u0000', 'x'.repeat(5_000), '☃'])(
  'an id that is no safe file name stays inside the folder: %j',
  (hold) => {
    const dir = scopeDir();
    expect(writeMissed(dir, skip(hold), NOW)).toEqual({ written: true });
    const [name = '', ...others] = readdirSync(folderOf(dir));
    expect([/^sha256-[0-9a-f]{64}\.json$/.test(name), others]).toEqual([true, []]);
    expect(readdirSync(dir)).toEqual(['.fleet']);
    expect(readMissed(dir, hold, NOW)).toMatchObject({ state: 'chosen' });
  },
);

test('a choice whose lift did not come within an hour counts for nothing', () => {
  const dir = chosen();
  expect(readMissed(dir, 'h1', NOW + HOUR)).toMatchObject({ state: 'chosen' });
  expect(readMissed(dir, 'h1', NOW + HOUR + 1)).toMatchObject({ state: 'unusable' });
  // The clock was set back since.
  expect(readMissed(dir, 'h1', NOW - HOUR - 1)).toMatchObject({ state: 'unusable' });
});

test.each([
  ['nothing', ''],
  ['no JSON', 'skip'],
  ['a list', '[]'],
  ['a later version', text({ version: 2 })],
  ['another word', text({ choice: 'run' })],
  ['another hold', text({ hold: 'h2' })],
  ['no instant', text({ at: 'yesterday' })],
  ['too much', text({ by: 'x'.repeat(5_000) })],
  ['nested deeply', '['.repeat(4_000)],
])('a file with %s is unusable', (_, content) => {
  const dir = chosen();
  writeFileSync(fileOf(dir, 'h1.json'), content);
  expect(readMissed(dir, 'h1', NOW)).toMatchObject({ state: 'unusable' });
});

function text(changed: object): string {
  const whole = { version: 1, choice: 'skip', hold: 'h1', by: 'x', at: '2026-12-01T12:00:00Z' };
  return JSON.stringify({ ...whole, ...changed });
}

test('a link in the place of the file, or of the folder, is not followed', () => {
  const dir = chosen();
  renameSync(fileOf(dir, 'h1.json'), join(dir, 'elsewhere'));
  symlinkSync(join(dir, 'elsewhere'), fileOf(dir, 'h1.json'));
  expect(readMissed(dir, 'h1', NOW)).toEqual({ state: 'unusable', why: 'ELOOP' });
  // Writing replaces the link, and leaves what it led to.
  const before = readFileSync(join(dir, 'elsewhere'), 'utf8');
  writeMissed(dir, { hold: 'h1', choice: 'ask', by: 'kim' }, NOW);
  expect(readFileSync(join(dir, 'elsewhere'), 'utf8')).toBe(before);

  const other = chosen();
  renameSync(folderOf(other), join(other, 'elsewhere'));
  symlinkSync(join(other, 'elsewhere'), folderOf(other));
  expect(readMissed(other, 'h1', NOW)).toEqual({ state: 'none' });
  expect(writeMissed(other, skip('h2'), NOW)).toEqual({ written: false, why: 'ENOTDIR' });
  expect(readdirSync(join(other, 'elsewhere'))).toEqual(['h1.json']);
});

test('a folder in the place of the file is unusable, and writing says so', () => {
  const dir = scopeDir();
  mkdirSync(fileOf(dir, 'h1.json'), { recursive: true });
  expect(readMissed(dir, 'h1', NOW)).toMatchObject({ state: 'unusable' });
  expect(writeMissed(dir, skip('h1'), NOW)).toEqual({ written: false, why: 'EISDIR' });
  expect(readdirSync(folderOf(dir))).toEqual(['h1.json']);
});

test('what is older than seven days is removed by the next writer, and nothing younger', () => {
  const dir = chosen();
  for (const [name, ageMs] of [
    ['old.json', 8 * DAY],
    ['.0123.new', 8 * DAY],
    ['young.json', 6 * DAY],
  ] as const) {
    writeFileSync(fileOf(dir, name), '{}');
    utimesSync(fileOf(dir, name), new Date(NOW - ageMs), new Date(NOW - ageMs));
  }
  writeMissed(dir, skip('h2'), NOW);
  expect(readdirSync(folderOf(dir)).sort()).toEqual(['h1.json', 'h2.json', 'young.json']);
});

test.each([
  ['the owner alone', 0o755, 0o700, 0o600],
  ['the group of a shared scope', 0o770, 0o770, 0o660],
])('it is readable for %s', (_, scopeMode, folderMode, fileMode) => {
  const dir = scopeDir();
  chmodSync(dir, scopeMode);
  writeMissed(dir, skip('h1'), NOW);
  const modes = [folderOf(dir), fileOf(dir, 'h1.json')].map((path) => statSync(path).mode & 0o777);
  expect(modes).toEqual([folderMode, fileMode]);
  expect(readMissed(dir, 'h1', NOW)).toMatchObject({ state: 'chosen' });
});

test('a file that other users may change is unusable', () => {
  const dir = chosen();
  chmodSync(fileOf(dir, 'h1.json'), 0o622);
  expect(readMissed(dir, 'h1', NOW)).toMatchObject({ state: 'unusable' });
});

test('a sentinel that was linked there under the name of a choice chooses nothing', () => {
  const dir = chosen();
  writeFileSync(join(dir, 'ESTOP'), JSON.stringify({ generation: 'g', reason: 'deploy' }));
  linkSync(join(dir, 'ESTOP'), fileOf(dir, 'h2.json'));
  expect(readMissed(dir, 'h2', NOW)).toMatchObject({ state: 'unusable' });
});
