/** Changes in a register that others may write to follow no link. */
import {
  lchownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOf, makeHome, opened, turn } from './support/homes.ts';

test('a `.fleet` that another user has made a link is not followed, and the work goes on', async ({
  skip,
}) => {
  if (process.geteuid?.() !== 0) skip('only root makes links of other users');
  const home = makeHome();
  mkdirSync(join(home, 'elsewhere'));
  symlinkSync('elsewhere', join(home, '.fleet'));
  lchownSync(join(home, '.fleet'), 65_534, 65_534);
  const said: unknown[] = [];
  const register = opened(home, { onUnrecorded: (unrecorded) => said.push(unrecorded) });
  expect(register.begin(turn('s1'))?.recorded).toBe(false);
  await Promise.resolve();
  expect(said).toMatchObject([{ id: 's1', why: 'link-of-another' }]);
  expect(readdirSync(join(home, 'elsewhere'))).toEqual([]);
});

test('a link in the place of what it was heard by is not followed', () => {
  const home = makeHome();
  let nowMs = Date.now();
  const register = opened(home, { now: () => nowMs });
  register.begin(turn('s1'));
  const file = join(home, 'file');
  writeFileSync(file, '');
  utimesSync(file, 1, 1);
  const record = join(folderOf(home), 'owners', register.owner, 'owner.json');
  renameSync(record, `${record}.aside`);
  symlinkSync(file, record);
  nowMs += 60_000;
  register.begin(turn('s2'));
  expect(statSync(file).mtimeMs).toBe(1_000);
});

test.each(['owners', 'claims'])(
  'nothing is prepared, put or removed where a link leads in the place of its %s',
  (name) => {
    const home = makeHome();
    const register = opened(home);
    const claim = register.begin(turn('s1'));
    const place = join(folderOf(home), name);
    const away = join(home, 'away');
    renameSync(place, away);
    symlinkSync(away, place);
    const before = readdirSync(away, { recursive: true });
    register.begin(turn('s2'));
    claim?.end();
    const after = readdirSync(away, { recursive: true });
    // Ending a claim removes it from its own folder or from nowhere.
    expect(after).toEqual(before);
  },
);
