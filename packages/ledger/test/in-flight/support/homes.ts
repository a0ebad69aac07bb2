/** Real homes in temporary folders, and content that others may have left in them. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { markOf, type Place } from '@fleet-estop/sentinel-core';
import { onTestFinished } from 'vitest';
import { digestOf } from '../../../src/in-flight/names.ts';
import { openRegister } from '../../../src/in-flight/open-register.ts';
import { type RegisterRead, readRegister } from '../../../src/in-flight/read-register.ts';
import type { Register, RegisterOptions } from '../../../src/in-flight/register.ts';

export function makeHome(): string {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-work-')));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export function opened(home: string, options: RegisterOptions = {}): Register {
  const register = openRegister(home, options);
  onTestFinished(() => register.close());
  return register;
}

export const turn = (id: string) => ({ door: 'turn', id });

export const folderOf = (home: string): string => join(home, '.fleet/in-flight');

export const claimOf = (home: string, id: string): string =>
  join(folderOf(home), 'claims', digestOf('turn', id));

export const entriesOf = (home: string, id: string): string[] => readdirSync(claimOf(home, id));

/** The fate of each piece of work, by id. */
export const fates = (read: RegisterRead): (string | null)[][] =>
  read.work.map(({ id, fate }) => [id, fate]).sort();

export const fatesIn = (home: string) => fates(readRegister(home));

/** Creates the files of a gateway in another place whose lease is current. */
export function leave(home: string, id: string, at: Partial<Place>, text?: string): string {
  const mark = markOf();
  if (mark === null) throw new Error('this process is gone');
  const owner = '4194303-0123456789abcdef';
  const place = { ...mark.place, ...at };
  const record = { pid: 4_194_303, birth: '5', place, instance: 'other', leaseMs: LEASE_MS };
  mkdirSync(join(folderOf(home), 'owners', owner), { recursive: true });
  mkdirSync(claimOf(home, id), { recursive: true });
  writeFileSync(join(folderOf(home), 'owners', owner, 'owner.json'), JSON.stringify(record));
  const work = JSON.stringify({ door: 'turn', id, principal: null, since: null });
  writeFileSync(join(claimOf(home, id), `${owner}.1.4194303.5`), text ?? work);
  return owner;
}

export const LEASE_MS = 15_000;
