/** The commands of docs/restart.md are run as they are written. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { superviseGateway } from '../support/restartable.ts';
import { startWatcher } from '../support/watcher.ts';

const page = readFileSync(new URL('../../../../docs/restart.md', import.meta.url), 'utf8');
const [block = ''] = [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
const commands = block
  .split('\n')
  .map((line) => line.replace(/\s+#.*$/, '').trim())
  .filter((line) => line !== '');

test('each restarts what it names', { timeout: 120_000 }, async () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  await startWatcher(fleet.root);
  for (const lane of ['lane-a', 'lane-b']) await superviseGateway(fleet, lane);
  expect(commands).toHaveLength(4);
  for (const line of commands) {
    const words = [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    const [npx, name, ...rest] = words.map((word) => (word === 'DIR' ? fleet.root : word));
    expect([npx, name]).toEqual(['npx', 'fleet']);
    const live = startFleet(rest);
    const { code } = await live.ended;
    expect([line, code, live.stderr()]).toEqual([line, 0, expect.stringContaining(': lifted')]);
    for (const [, step] of page.matchAll(/^lane-a: (\w+)/gm)) {
      expect(live.stderr()).toMatch(new RegExp(`^lane-[ab]: (NOT |not )?${step}`, 'm'));
    }
  }
});
