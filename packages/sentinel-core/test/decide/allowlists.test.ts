/** Who passes by the allowlists alone, and whom a new hold closes out. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { arm, check, closedOut, listedIn, narrowest, nodeDisk } from '../../src/index.ts';

const disk = nodeDisk();

function scopeWith(...allows: readonly (readonly string[] | null)[]) {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-passage-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  allows.forEach((userIds, at) => {
    arm(disk, dir, { holder: `h${at}`, allow: userIds === null ? null : { userIds } });
  });
  const scope = { kind: 'profile', dir, profile: 'a' } as const;
  return { dir, state: () => ({ scope, check: check(disk, dir) }) };
}

test('only whom every hold lets pass can be closed out, and not whom the new one lets pass', () => {
  const states = [scopeWith(['1', '2', '3']).state(), scopeWith(['2', '3']).state()];
  expect(narrowest(states)?.userIds).toEqual(['2', '3']);
  expect(closedOut(states, { allow: { userIds: ['3'] } }, 'a')).toEqual(['2']);
  expect(closedOut(states, { allow: null }, 'a')).toEqual(['2', '3']);
});

test('where nothing holds, or a hold lets nobody pass or cannot be read, nobody is closed out', () => {
  const torn = scopeWith(['1']);
  writeFileSync(join(torn.dir, 'ESTOP'), '{ torn');
  for (const states of [
    [],
    [scopeWith().state()],
    [scopeWith(['1'], null).state()],
    [torn.state()],
  ]) {
    expect(closedOut(states, { allow: null }, 'a')).toEqual([]);
  }
});

test('a list that is narrowed to profiles counts there, and where no profile is meant', () => {
  const allow = { userIds: ['1'], profiles: ['a'] };
  expect(listedIn(allow, 'a')).toEqual(['1']);
  expect(listedIn(allow, 'b')).toEqual([]);
  expect(listedIn(allow, null)).toEqual(['1']);
});
