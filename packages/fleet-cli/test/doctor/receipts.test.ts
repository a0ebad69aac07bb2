/**
 * What `fleet doctor` says of the place where gateways record what they refuse.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openReceipts, receiptsPath } from '@fleet-estop/ledger';
import { describe, expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { examine } from './fleets.ts';

const isSuperuser = process.getuid?.() === 0;

function makeRecords() {
  const fleet = makeFleet('lane-a');
  const home = fleet.folder('lane-a');
  const path = receiptsPath(home);
  mkdirSync(join(home, '.fleet'), { mode: 0o755 });
  return { fleet, home, path };
}

it('receipts as a gateway leaves them are in order', () => {
  const { fleet, home } = makeRecords();
  const receipts = openReceipts(home, { instance: 'g' });
  receipts.write({ door: 'turn', principal: null, profile: 'lane-a', holds: ['h'] });
  receipts.close();
  expect(examine(fleet).found('receipts')).toEqual([]);
});

describe('what is no regular file', () => {
  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a FIFO', (path: string) => void execFileSync('mkfifo', [path])],
    ['a symbolic link', (path: string) => symlinkSync('elsewhere', path)],
  ])('%s is a problem: exit 1', (words, put) => {
    const { fleet, path } = makeRecords();
    put(path);
    const { code, found } = examine(fleet);
    expect(code).toBe(1);
    expect(found('receipts')).toMatchObject([
      { level: 'problem', where: path, what: expect.stringContaining(words) },
    ]);
  });

  it('and so is a file in place of their folder', () => {
    const fleet = makeFleet('lane-a');
    const where = join(fleet.folder('lane-a'), '.fleet');
    writeFileSync(where, '');
    expect(examine(fleet).found('receipts')).toMatchObject([{ level: 'problem', where }]);
  });
});

describe('what cannot be written', () => {
  it('by this user is a warning', ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const { fleet, path } = makeRecords();
    writeFileSync(path, '');
    const { code, found } = examine(fleet, [], { ordinary: true });
    // Its register is there for anybody to read.
    expect(code).toBe(0);
    expect(found('receipts')).toMatchObject([
      { level: 'warning', where: path, what: expect.stringContaining('EACCES') },
    ]);
  });

  it('by the user of the home is a warning to a superuser, who may write anything', ({ skip }) => {
    skip(!isSuperuser, 'only root may give files away');
    const { fleet, home, path } = makeRecords();
    writeFileSync(path, '', { mode: 0o600 });
    for (const mine of [home, join(home, '.fleet')]) chownSync(mine, 1, 1);
    expect(examine(fleet).found('receipts')).toMatchObject([
      { level: 'warning', where: path, what: expect.stringContaining('its home to uid 1') },
    ]);
    chownSync(path, 0, 1);
    chmodSync(path, 0o660);
    expect(examine(fleet).found('receipts')).toEqual([]);
    chownSync(path, 1, 1);
    chmodSync(path, 0o600);
    expect(examine(fleet).found('receipts')).toEqual([]);
  });

  it('since its folder may not be entered is not examined: exit 3', ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const { fleet, home } = makeRecords();
    chmodSync(join(home, '.fleet'), 0o700);
    const { code, found } = examine(fleet, [], { ordinary: true });
    expect(code).toBe(3);
    expect(found('receipts')).toMatchObject([{ level: 'problem', unexamined: true }]);
  });
});
