/** Removing an owner from a register follows no link. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeOwner } from '../../src/in-flight/remove-owner.ts';
import { makeHome } from './support/homes.ts';

const OWNER = '1-0123456789abcdef';
const CLAIM = `${OWNER}.1.1.1`;

/** A home with an owner that has prepared a claim. */
function owned(): { readonly home: string; readonly owners: string } {
  const home = makeHome();
  const owners = join(home, '.fleet/in-flight/owners');
  mkdirSync(join(owners, OWNER, CLAIM), { recursive: true });
  writeFileSync(join(owners, OWNER, 'owner.json'), '');
  writeFileSync(join(owners, OWNER, CLAIM, CLAIM), '');
  return { home, owners };
}

test('an owner is removed with what it prepared, and one claim of it alone', () => {
  const { home, owners } = owned();
  removeOwner(home, OWNER, CLAIM);
  expect(readdirSync(join(owners, OWNER))).toEqual(['owner.json']);
  removeOwner(home, OWNER);
  expect(readdirSync(owners)).toEqual([]);
  removeOwner(home, OWNER);
});

test.each([
  ['in-flight', (home: string) => join(home, '.fleet/in-flight')],
  ['owners', (_: string, owners: string) => owners],
  ['the owner', (_: string, owners: string) => join(owners, OWNER)],
  ['its claim', (_: string, owners: string) => join(owners, OWNER, CLAIM)],
])('a link in the place of %s leads to nothing that is removed', (_, at) => {
  const { home, owners } = owned();
  const [place, away] = [at(home, owners), join(home, 'away')];
  renameSync(place, away);
  const before = readdirSync(away, { recursive: true });
  symlinkSync(away, place);
  removeOwner(home, OWNER, CLAIM);
  removeOwner(home, OWNER);
  expect(readdirSync(away, { recursive: true })).toEqual(before);
});

test('a link among what an owner prepared is removed, and nothing behind it', () => {
  const { home, owners } = owned();
  const away = join(home, 'away');
  mkdirSync(away);
  writeFileSync(join(away, 'precious'), '');
  symlinkSync(away, join(owners, OWNER, CLAIM, 'link'));
  removeOwner(home, OWNER);
  expect(existsSync(join(away, 'precious'))).toBe(true);
  expect(readdirSync(owners)).toEqual([]);
});
