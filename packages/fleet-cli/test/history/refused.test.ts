/**
 * `fleet history --refused`: what holds have kept back, as the receipts in the homes of profiles tell.
 * How receipts are written and kept is the ledger's own tests.
 */
import { appendFileSync, chmodSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openReceipts, receiptsPath } from '@fleet-estop/ledger';
import { describe, expect, it } from 'vitest';
import { type Fleet, makeFleet, spoilProfiles, UNSAFE } from '../support/fleet.ts';
import { keyPathsOf } from '../support/key-paths.ts';

const docs = readFileSync(new URL('../../../../docs/json.md', import.meta.url), 'utf8');
const HOUR = 3_600_000;

interface Told {
  readonly lane?: string;
  readonly door?: string;
  readonly agoMs?: number;
  readonly principal?: string | null;
  readonly holds?: readonly string[];
}

/** As a gateway writes it. */
function refuse(
  { folder }: Fleet,
  { lane = 'lane-a', door = 'cron', agoMs = 0, principal = null, holds = ['h1'] }: Told = {},
): void {
  const home = lane === 'default' ? folder() : folder(lane);
  const now = () => Date.now() - agoMs;
  const receipts = openReceipts(home, { instance: 'g1', now });
  expect(receipts.write({ door, principal, profile: lane, holds })).toEqual({ written: true });
  receipts.close();
}

describe('what was refused', () => {
  it('is counted by profile and door, with the first time and the last', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    refuse(fleet, { agoMs: HOUR, principal: 'u1', holds: ['h1', 'h2'] });
    // By a clock that was set back.
    refuse(fleet, { agoMs: 2 * HOUR });
    refuse(fleet, { door: 'turn' });
    refuse(fleet, { lane: 'lane-b' });
    refuse(fleet, { lane: 'default', door: 'kanban' });
    const { code, document } = fleet.json(['history', '--refused']);
    expect(code).toBe(0);
    expect(document).toMatchObject({
      schema: 'fleet/refused/v1',
      root: fleet.root,
      doors: null,
      refused: 5,
      omitted: 0,
      corrupt: [],
      unreadable: [],
      profiles_unreadable: null,
    });
    const counts = document.counts.map((count: Record<string, unknown>) => [
      count['profile'],
      count['door'],
      count['refused'],
    ]);
    expect(counts).toEqual([
      ['default', 'kanban', 1],
      ['lane-a', 'cron', 2],
      ['lane-a', 'turn', 1],
      ['lane-b', 'cron', 1],
    ]);
    const { first_at, last_at } = document.counts[1];
    expect(Date.parse(last_at) - Date.parse(first_at)).toBeGreaterThan(HOUR / 2);
    expect(document.newest).toHaveLength(5);
    expect(document.newest[1]).toEqual({
      at: last_at,
      profile: 'lane-a',
      door: 'cron',
      principal: 'u1',
      holds: ['h1', 'h2'],
      skipped: false,
      pid: process.pid,
      instance: 'g1',
    });
  });

  it('is a table for people, and the newest ones', () => {
    const fleet = makeFleet('lane-a');
    for (let at = 0; at < 12; at++) refuse(fleet, { principal: `u${at}` });
    const { code, stdout, stderr } = fleet.run(['history', '--refused'], {
      env: { COLUMNS: '200' },
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^root .* \(--root\)\n\nPROFILE +DOOR +REFUSED +FIRST +LAST\n/);
    expect(stdout).toMatch(/^lane-a +cron +12 +\d{4}-.*\d{4}-/m);
    expect(stdout).toContain('the newest 10 of 12:\n');
    expect(stdout).toMatch(/ u2 +h1\n(?:.*\n){8}.* u11 +h1\n$/);
    expect(stdout).not.toContain(' u1 ');
  });

  it('doors that begin alike are told apart, however narrow the window is', () => {
    const fleet = makeFleet('lane-a');
    for (const door of ['cron-webhook', 'cron-misfire']) refuse(fleet, { door });
    const { stdout } = fleet.run(['history', '--refused'], { env: { COLUMNS: '40' } });
    for (const door of ['cron-webhook', 'cron-misfire']) {
      expect(stdout.match(new RegExp(` ${door} `, 'g'))).toHaveLength(2);
    }
  });

  it('is not claimed to be nothing where there is no receipt', () => {
    const { code, stdout } = makeFleet('lane-a').run(['history', '--refused']);
    expect(code).toBe(0);
    expect(stdout).toContain('no receipt of a refusal matches');
  });

  it('is narrowed by profile, door and time, and the newest to a number', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    refuse(fleet, { agoMs: 3 * HOUR });
    refuse(fleet, { door: 'turn' });
    refuse(fleet, { lane: 'lane-b', door: 'kanban' });
    const countOf = (...words: readonly string[]): number =>
      fleet.json(['history', '--refused', ...words]).document.refused;
    expect(countOf()).toBe(3);
    expect(countOf('-p', 'lane-a')).toBe(2);
    expect(countOf('-p', 'default')).toBe(0);
    expect(countOf('--since', '2h')).toBe(2);
    expect(countOf('--door', 'cron')).toBe(1);
    expect(countOf('--door', 'cron', '--door', 'kanban')).toBe(2);
    const { document } = fleet.json(['history', '--refused', '--limit', '1']);
    expect(document).toMatchObject({ refused: 3, omitted: 2, newest: [{ door: 'kanban' }] });
  });

  it('is counted once where two profiles share a home', () => {
    const fleet = makeFleet('lane-a');
    symlinkSync('lane-a', fleet.folder('twin'));
    refuse(fleet);
    expect(fleet.json(['history', '--refused']).document.refused).toBe(1);
  });
});

describe('what cannot be read', () => {
  it('that was removed to make room is said, with status 0', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    refuse(fleet, { lane: 'lane-b' });
    const rotation = { maxBytes: 1, keep: 2 };
    const receipts = openReceipts(fleet.folder('lane-a'), { instance: 'g1', rotation });
    const refusal = { door: 'cron', principal: null, profile: 'lane-a', holds: ['h1'] };
    for (let times = 0; times < 4; times++) receipts.write(refusal);
    receipts.close();
    const { code, document } = fleet.json(['history', '--refused']);
    expect(code).toBe(0);
    expect(document).toMatchObject({ refused: 4, pruned: ['lane-a'] });
    const { stderr } = fleet.run(['history', '--refused']);
    expect(stderr).toContain('older receipts of lane-a may have been removed');
  });

  it('is skipped line by line, and said with status 0', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    refuse(fleet);
    appendFileSync(receiptsPath(fleet.folder('lane-a')), 'no receipt\n{"door":1}\n');
    refuse(fleet);
    const { code, stderr } = fleet.run(['history', '--refused']);
    expect(code).toBe(0);
    expect(stderr).toContain('skipped 2 lines of the receipts of lane-a');
    const { document } = fleet.json(['history', '--refused']);
    expect(document).toMatchObject({ refused: 2, corrupt: [{ profile: 'lane-a', lines: 2 }] });
  });

  it('is 3 where a whole file cannot be, and the others are counted all the same', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    refuse(fleet, { lane: 'lane-b' });
    mkdirSync(receiptsPath(fleet.folder('lane-a')), { recursive: true });
    const { code, stdout, stderr } = fleet.run(['history', '--refused']);
    expect(code).toBe(3);
    expect(stdout).toContain('lane-b');
    expect(stderr).toContain('receipts of lane-a are missing');
    const { document } = fleet.json(['history', '--refused']);
    expect(document).toMatchObject({ refused: 1, unreadable: [{ profile: 'lane-a' }] });
  });

  it('is 3 for a user who may not read it', () => {
    const fleet = makeFleet('lane-a');
    refuse(fleet);
    chmodSync(join(fleet.folder('lane-a'), '.fleet'), 0o700);
    const { code, stderr } = fleet.run(['history', '--refused'], { ordinary: true });
    expect(code).toBe(3);
    expect(stderr).toContain('receipts of lane-a are missing');
  });

  it('is 3 where the profiles cannot be listed', () => {
    const fleet = makeFleet('lane-a');
    spoilProfiles(fleet.root);
    const { code, stderr } = fleet.run(['history', '--refused']);
    expect(code).toBe(3);
    expect(stderr).toContain('the profiles cannot be listed');
  });
});

describe('text of anybody’s', () => {
  it('reaches no terminal as it is', () => {
    const fleet = makeFleet('lane-a');
    const hostile = 'x\u001b[2J\u202e\n';
    refuse(fleet, { door: hostile, principal: hostile, holds: [hostile] });
    for (const more of [[], ['--json']]) {
      const { code, stdout } = fleet.run(['history', '--refused', ...more]);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(UNSAFE);
    }
    const { document } = fleet.json(['history', '--refused', '--door', hostile]);
    expect(document.newest).toMatchObject([{ door: hostile, principal: hostile }]);
  });
});

describe('words', () => {
  it.each([
    ['a door without refusals', ['--door', 'cron'], '`--door` without `--refused`'],
    ['an empty door', ['--refused', '--door', ''], 'empty'],
    ['an unknown profile', ['--refused', '-p', 'nope'], 'no profile `nope`'],
    ['no time', ['--refused', '--since', 'soon'], 'is not a duration'],
  ])('%s is refused', (_what, words, complaint) => {
    const { code, stdout, stderr } = makeFleet('lane-a').run(['history', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(complaint);
  });

  it('each key of the document is described', () => {
    const fleet = makeFleet('lane-a');
    refuse(fleet);
    appendFileSync(receiptsPath(fleet.folder('lane-a')), 'x\n');
    const { document } = fleet.json(['history', '--refused']);
    const section = docs.split('## `fleet/refused/v1`')[1]?.split('\n## ')[0] ?? '';
    const common = ['schema', 'root', 'root_source', 'skipped'];
    for (const path of keyPathsOf(document)) {
      const key = path.replace(/^.*\./, '').replaceAll('[]', '');
      if (!common.includes(key)) expect(section).toContain(`\`${key}\``);
    }
  });
});
