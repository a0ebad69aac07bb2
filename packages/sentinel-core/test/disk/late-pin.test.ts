/**
 * A robbed armer's pin lands late, over a file that somebody foreign has put there, and the lifter who
 * then takes that file out dies: real processes, each stopped at one system call.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import { needs } from '../../../../test/support/needs.ts';
import { check } from '../../src/disk/check.ts';
import { TENURE } from '../../src/disk/names.ts';
import { nodeDisk } from '../../src/disk/node-disk.ts';
import { recover } from '../../src/disk/recover.ts';
import { STANDING, sentinelOf, writeSentinel } from '../support/bodies.ts';
import { besideSentinel, scopeDir } from '../support/scope-dir.ts';

needs(process.platform === 'linux' ? undefined : 'a call is stopped half-way by a path of Linux');
const disk = nodeDisk();

async function heldAtACall(operation: 'arm' | 'lift', dir: string, argument: object) {
  const url = new URL('../support/held-at-a-call.ts', import.meta.url);
  const script = await bundleFile(fileURLToPath(url));
  const words = [script, operation, dir, JSON.stringify(argument)];
  const child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    stopped: async () => expect((await lines.next()).value).toBe('stopped'),
    goesOn: () => void child.stdin.end('!'),
    ended: async () => child.signalCode ?? child.exitCode ?? (await once(child, 'exit'))[1],
  };
}

test('a foreign hold survives the death of the lifter who took it out beside a late pin', async () => {
  const dir = scopeDir();
  writeSentinel(dir, STANDING);
  const armer = await heldAtACall('arm', dir, { holder: 'late' });
  await armer.stopped();
  // It takes the tenure over from the armer, removes its draft, and has looked at the sentinel.
  const lifter = await heldAtACall('lift', dir, { holder: 'keeper' });
  await lifter.stopped();

  writeFileSync(join(dir, 'draft'), JSON.stringify({ generation: 'F', reason: 'foreign' }));
  renameSync(join(dir, 'draft'), sentinelOf(dir));
  armer.goesOn();
  expect(await armer.ended()).toBe('SIGKILL');
  // Its pin is in the lifter's folder now: of the foreign file, under the name of the old one.
  expect(namesInTenures(dir)).toContainEqual(expect.stringMatching(/^prev:/));
  lifter.goesOn();
  expect(await lifter.ended()).toBe('SIGKILL');

  recover(disk, dir, { force: true });
  const found = check(disk, dir);
  expect(found.engaged && found.holds.map(({ reason }) => reason)).toContain('foreign');
  expect(besideSentinel(dir)).toEqual([]);
});

const namesInTenures = (dir: string): string[] =>
  readdirSync(join(dir, TENURE), { recursive: true }).map((name) =>
    String(name).slice(String(name).indexOf('/') + 1),
  );
