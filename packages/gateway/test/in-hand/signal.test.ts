/** The signal of work in hand, and the mark that children inherit. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openRegister } from '@fleet-estop/ledger';
import { INSIDE_GATEWAY, parseInside } from '@fleet-estop/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { unitIn } from '../../src/link/own-process.ts';
import { opened } from '../gate/opened.ts';
import { homeOf, makeRoot } from '../support/fleets.ts';

test('work that another owner has taken is aborted, and says why', {
  timeout: 60_000,
}, async () => {
  const home = homeOf(makeRoot('a'), 'a');
  const work = opened(home, { onUnrecorded: () => {} }).begin({ door: 'turn', id: 's1' });
  const other = openRegister(home);
  onTestFinished(() => other.close());
  const aborted = new Promise<unknown>((resolve) => {
    work?.signal.addEventListener('abort', () => resolve(work.signal.reason));
  });
  rmSync(join(home, '.fleet/in-flight/claims'), { recursive: true });
  expect(other.begin({ door: 'turn', id: 's1' })).not.toBeNull();
  expect(await aborted).toMatchObject({ code: 'WORK_LOST', profile: 'a', door: 'turn', id: 's1' });
  expect(work?.end()).toBe(false);
});

const inherited = (): ReturnType<typeof parseInside> => {
  const words = ['-p', 'process.env.FLEET_INSIDE_GATEWAY ?? ""'];
  return parseInside(execFileSync(process.execPath, words, { encoding: 'utf8' }).trim());
};

/** Gates of other tests in this process are left out of it, and put back. */
function withoutMarks(): void {
  const before = process.env[INSIDE_GATEWAY];
  delete process.env[INSIDE_GATEWAY];
  onTestFinished(() => {
    if (before !== undefined) process.env[INSIDE_GATEWAY] = before;
  });
}

test('a child knows the gates of its parent, until they are closed', () => {
  withoutMarks();
  const root = makeRoot('a', 'b');
  const [a, b] = ['a', 'b'].map((name) => opened(homeOf(root, name), { instance: `gw ${name}` }));
  opened(homeOf(root, 'a'), { instance: 'unmarked', markChildren: false });
  const ours = { pid: process.pid, start: expect.stringMatching(/^\d+$/) };
  expect(inherited()).toEqual([
    { ...ours, instance: 'gw a' },
    { ...ours, instance: 'gw b' },
  ]);
  a?.close();
  expect(inherited()).toEqual([{ ...ours, instance: 'gw b' }]);
  b?.close();
  b?.close();
  expect(inherited()).toEqual([]);
});

test.each([
  ['0::/system.slice/gateway@a.service\n', 'gateway@a.service'],
  ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/gw.service\n', 'gw.service'],
  ['0::/user.slice/user-1000.slice/user@1000.service/app.slice/run.scope\n', null],
  ['12:cpu:/x.service\n1:name=systemd:/system.slice/gw.service\n', 'gw.service'],
  ['0::/docker/4f2a\n', null],
  ['0::/system.slice/a b.service\n', null],
  ['', null],
])('the unit in %j is %s', (text, unit) => {
  expect(unitIn(text)).toBe(unit);
});
