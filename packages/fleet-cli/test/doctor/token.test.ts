/**
 * What `fleet doctor` says of `.fleet/token`: the same as the watcher, which alone uses it.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Fleet, makeFleet } from '../support/fleet.ts';
import { startWatcher } from '../support/watcher.ts';
import { examine } from './fleets.ts';

const isSuperuser = process.getuid?.() === 0;
const GOOD = 'k'.repeat(32);

const CASES: readonly (readonly [name: string, isUsable: boolean, put: (path: string) => void])[] =
  [
    ['one that is as it should be', true, (path) => write(path, `${GOOD}\n`)],
    ['a short one', false, (path) => write(path, 'k'.repeat(31))],
    ['an empty one', false, (path) => write(path, '')],
    ['a long one', false, (path) => write(path, 'k'.repeat(1_025))],
    ['one with a space', false, (path) => write(path, `${GOOD} ${GOOD}`)],
    ['one that is JSON', false, (path) => write(path, JSON.stringify({ generation: GOOD }))],
    ['one that is no ASCII', false, (path) => write(path, `${GOOD}é`)],
    ['one that others may read', false, (path) => write(path, GOOD, 0o604)],
    ['one that its group may change', false, (path) => write(path, GOOD, 0o620)],
    ['a folder', false, (path) => mkdirSync(path, { mode: 0o700 })],
    ['a FIFO', false, (path) => void execFileSync('mkfifo', ['-m', '600', path])],
    ['a dangling link', false, (path) => symlinkSync('elsewhere', path)],
  ];

function write(path: string, text: string, mode = 0o600): void {
  writeFileSync(path, text);
  chmodSync(path, mode);
}

it('what the watcher cannot use is a problem, and nothing else is', async () => {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const path = tokenOf(fleet);
  for (const [name, isUsable, put] of CASES) {
    rmSync(path, { recursive: true, force: true });
    put(path);
    const findings = examine(fleet).found('token');
    expect([name, await statusOfWriting(fleet)]).toEqual([name, isUsable ? 401 : 503]);
    expect([name, findings.map(({ level }) => level)]).toEqual([name, isUsable ? [] : ['problem']]);
  }
});

it('its text is never told', () => {
  const fleet = makeFleet();
  mkdirSync(join(fleet.root, '.fleet'), { mode: 0o700 });
  write(tokenOf(fleet), 'SECRET-and-short');
  const { code, stdout } = fleet.run(['doctor']);
  expect(code).toBe(1);
  expect(stdout).toContain('shorter than 32');
  expect(stdout + JSON.stringify(examine(fleet).document)).not.toContain('SECRET');
});

it('one of another user than the records is a warning, and one of root is not', ({ skip }) => {
  skip(!isSuperuser, 'only root may give files away');
  const fleet = makeFleet();
  mkdirSync(join(fleet.root, '.fleet'), { mode: 0o700 });
  write(tokenOf(fleet), GOOD);
  chownSync(join(fleet.root, '.fleet'), 1, 1);
  expect(examine(fleet).found('token')).toEqual([]);
  chownSync(tokenOf(fleet), 2, 2);
  expect(examine(fleet).found('token')).toMatchObject([
    { level: 'warning', todo: expect.stringMatching(/^chown 1 /) },
  ]);
});

it('whoever may not read it is told of nothing to repair', ({ skip }) => {
  skip(!isSuperuser, 'only root may start a process of another user');
  const fleet = makeFleet();
  mkdirSync(join(fleet.root, '.fleet'), { mode: 0o755 });
  write(tokenOf(fleet), GOOD);
  const { found } = examine(fleet, [], { ordinary: true });
  expect(found('token')).toMatchObject([{ level: 'note', unexamined: false }]);
  write(tokenOf(fleet), GOOD, 0o640);
  expect(examine(fleet, [], { ordinary: true }).found('token')).toMatchObject([
    { level: 'problem' },
  ]);
});

const tokenOf = ({ root }: Fleet): string => join(root, '.fleet', 'token');

/** 401: a token is asked for, and this is another one. 503: it cannot be used. */
function statusOfWriting({ root }: Fleet): Promise<number | undefined> {
  const socketPath = join(root, '.fleet', 'http.sock');
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${'x'.repeat(40)}` };
  const asked = { socketPath, path: '/v1/holds', method: 'POST', headers, agent: false };
  return new Promise((resolve, reject) => {
    const writing = request(asked, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    writing.on('error', reject);
    writing.end('{}');
  });
}
