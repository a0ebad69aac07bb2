/** Work of a host process, as a gateway with another process id namespace sees it. */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { clearAbandoned } from '../../src/in-flight/clear-abandoned.ts';
import { killAtTheEnd, startHolder, until } from './support/holders.ts';
import { entriesOf, fatesIn, leave, makeHome, opened, turn } from './support/homes.ts';

const canUnshare = spawnSync('unshare', ['-Urpf', '--mount-proc', 'true']).status === 0;
const LEDGER = fileURLToPath(new URL('../../dist/index.js', import.meta.url));

/** Prints its count whenever it changes. */
const COUNTER = `
  import { openRegister } from ${JSON.stringify(LEDGER)};
  const register = openRegister(process.argv[1], { leaseMs: 60 });
  let before;
  setInterval(() => {
    const count = register.count();
    if (count !== before) console.log(count);
    before = count;
  }, 10);`;

test('it is counted there after a kill, until somebody of this host clears it away', async ({
  skip,
}) => {
  if (!canUnshare) skip('no process id namespace can be made here');
  const home = makeHome();
  const host = await startHolder(home, 60);
  await host.ask({ does: 'begin', ids: ['s1', 's2'] });
  await host.killed();
  const words = ['-Urpf', '--kill-child', '--mount-proc', process.execPath];
  const inside = spawn('unshare', [...words, '--input-type=module', '-e', COUNTER, home], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void inside.kill('SIGKILL'));
  let count = '';
  createInterface({ input: inside.stdout }).on('line', (line) => {
    count = line;
  });
  await until(() => count === '2');
  expect(fatesIn(home)).toEqual([
    ['s1', 'abandoned'],
    ['s2', 'abandoned'],
  ]);

  const { cleared, left } = clearAbandoned(home);
  expect(cleared.map(({ work }) => work.id).sort()).toEqual(['s1', 's2']);
  expect(left).toEqual([]);
  await until(() => count === '0');
  expect(clearAbandoned(home)).toEqual({ cleared: [], left: [] });
});

test('what lives, what cannot be judged from here, and what has a living owner is left', async () => {
  const home = makeHome();
  const living = opened(home);
  living.begin(turn('mine'));
  leave(home, 'far', { pids: 'pid:[1]' });
  const host = await startHolder(home);
  const { pids } = await host.ask({ does: 'work', ids: ['worker'] });
  killAtTheEnd(pids);
  await host.killed();
  const before = ['far', 'mine', 'worker'].map((id) => entriesOf(home, id));
  expect(clearAbandoned(home)).toEqual({ cleared: [], left: [] });
  expect(['far', 'mine', 'worker'].map((id) => entriesOf(home, id))).toEqual(before);
});
