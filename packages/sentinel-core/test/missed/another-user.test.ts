/** What a lift says about missed work, where several users write in a scope. */
import { chmodSync, chownSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMissed, writeMissed } from '../../src/index.ts';
import { needs } from '../support/needs.ts';
import { NOBODY, otherUserMissing } from '../support/other-process.ts';
import { scopeDir } from '../support/scope-dir.ts';

needs(otherUserMissing);

const CHOSEN = { hold: 'h1', choice: 'skip', by: 'chris' } as const;
const fileIn = (dir: string): string => join(dir, '.fleet', 'missed', 'h1.json');

test('a file of another user counts only in a scope that is shared with them', () => {
  const dir = scopeDir();
  writeMissed(dir, CHOSEN);
  chownSync(fileIn(dir), NOBODY, NOBODY);
  expect(readMissed(dir, 'h1')).toMatchObject({ state: 'unusable' });
  chmodSync(dir, 0o770);
  expect(readMissed(dir, 'h1')).toMatchObject({ state: 'chosen' });
});

test('root gives what it writes to the owner of the scope', () => {
  const dir = scopeDir();
  chownSync(dir, NOBODY, NOBODY);
  writeMissed(dir, CHOSEN);
  const made = [fileIn(dir), join(dir, '.fleet', 'missed'), join(dir, '.fleet')];
  expect(made.map((path) => statSync(path).uid)).toEqual([NOBODY, NOBODY, NOBODY]);
  expect(readMissed(dir, 'h1')).toMatchObject({ state: 'chosen' });
});
