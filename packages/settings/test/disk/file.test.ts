/**
 * Everything that can exist at the path of a settings file, and that reading it never blocks. Decoding
 * is `encoding.test.ts`.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  lchownSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import { readSource } from '../../src/disk/source.ts';
import { readFleetSettings, readProfileSettings } from '../../src/index.ts';
import { problemOf, settingsOf } from '../settings-folder.ts';

let dir: string;
let file: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fleet-settings-'));
  file = join(dir, 'fleet.yaml');
});
afterEach(() => rmSync(dir, { recursive: true }));

const ofWholeFile = { line: null, column: null, key: '' };

describe('settings that are not there are absent', () => {
  it('in a folder without the file', async () => {
    expect(await readFleetSettings(dir)).toEqual({ state: 'absent' });
    expect(await readProfileSettings(dir)).toEqual({ state: 'absent' });
  });

  it('in a folder that does not exist', async () => {
    expect(await readFleetSettings(join(dir, 'nowhere'))).toEqual({ state: 'absent' });
  });

  it('in what is no folder at all', async () => {
    writeFileSync(join(dir, 'plain'), '');
    expect(await readFleetSettings(join(dir, 'plain'))).toEqual({ state: 'absent' });
  });
});

describe('what is no regular file is refused at once, by its kind', () => {
  it('a folder', async () => {
    mkdirSync(file);
    expect(problemOf(await readFleetSettings(dir))).toMatchObject({
      ...ofWholeFile,
      code: 'not-a-file',
      file,
      message: 'this is a folder',
      expected: 'a regular file',
    });
  });

  it('a FIFO that nobody writes to', async () => {
    expect(spawnSync('mkfifo', [file]).status).toBe(0);
    const problem = problemOf(await readFleetSettings(dir));
    expect(problem).toMatchObject({ code: 'not-a-file', message: 'this is a FIFO' });
  });

  it('a socket', async () => {
    const server = createServer();
    await new Promise<void>((listening) => server.listen(file, listening));
    try {
      const problem = problemOf(await readFleetSettings(dir));
      expect(problem).toMatchObject({ code: 'not-a-file', message: 'this is a socket' });
    } finally {
      await new Promise((closed) => server.close(closed));
    }
  });

  it('a link to a device', async () => {
    symlinkSync('/dev/zero', file);
    const problem = problemOf(await readFleetSettings(dir));
    expect(problem).toMatchObject({ code: 'not-a-file', message: 'this is a device' });
  });
});

describe('a file is read up to 256 KiB', () => {
  const START = 'version: 1\n#';

  it('and one of exactly that size is read', async () => {
    writeFileSync(file, START.padEnd(256 * 1024, 'x'));
    expect(settingsOf(await readFleetSettings(dir))).toEqual({ version: 1 });
  });

  it('and one of a byte more is refused', async () => {
    writeFileSync(file, START.padEnd(256 * 1024 + 1, 'x'));
    expect(problemOf(await readFleetSettings(dir))).toMatchObject({
      ...ofWholeFile,
      code: 'too-large',
      expected: 'at most 256 KiB',
    });
  });
});

describe('links are followed', () => {
  it('to a file elsewhere, which is named by the link', async () => {
    writeFileSync(join(dir, 'elsewhere'), 'version: 2\n');
    symlinkSync('elsewhere', file);
    expect(problemOf(await readFleetSettings(dir))).toMatchObject({ file, line: 1, column: 10 });
  });

  it('and one that leads nowhere is not the same as no settings', async () => {
    symlinkSync('nowhere', file);
    expect(problemOf(await readFleetSettings(dir))).toMatchObject({
      ...ofWholeFile,
      code: 'dangling-link',
    });
  });

  it('and one that leads to itself is refused', async () => {
    symlinkSync('fleet.yaml', file);
    expect(problemOf(await readFleetSettings(dir))).toMatchObject({
      code: 'unreadable',
      errno: 'ELOOP',
    });
  });

  it('but one that another user made only to files of that very user', async ({ skip }) => {
    if (process.geteuid?.() !== 0) skip('only root makes files of other users');
    const secret = join(dir, 'secret');
    writeFileSync(secret, 'a-secret-of-ours', { mode: 0o600 });
    symlinkSync('secret', file);
    lchownSync(file, 65_534, 65_534);
    const problem = problemOf(await readFleetSettings(dir));
    expect(problem).toMatchObject({
      ...ofWholeFile,
      code: 'unreadable',
      errno: 'link-of-another',
    });
    expect(JSON.stringify(problem)).not.toContain('a-secret');
    writeFileSync(secret, 'version: 1\n');
    chownSync(secret, 65_534, 65_534);
    expect(settingsOf(await readFleetSettings(dir))).toEqual({ version: 1 });
  });

  it('and settings that are swapped while they are read are one version or the other', async () => {
    const swapper = await startSwapping(dir);
    const seen = new Set<string>();
    try {
      for (let round = 0; round < 5_000 || (seen.size < 10 && round < 500_000); round++) {
        const source = readSource(file);
        if (source.state !== 'read') throw new Error(JSON.stringify(source));
        const text = Buffer.from(source.bytes).toString();
        const [first, second] = text.match(/[0-9]+s/g) ?? [];
        expect(first).toBe(second);
        seen.add(first ?? '');
      }
    } finally {
      await stop(swapper);
    }
    expect(seen.size).toBeGreaterThanOrEqual(10);
  });
});

describe('a file that may not be read', () => {
  it('is refused with the errno', async ({ skip }) => {
    writeFileSync(file, 'version: 1\n');
    chmodSync(file, 0);
    const problem = await askAsOrdinaryUser();
    if (typeof problem === 'string') return skip(problem);
    expect(problem).toMatchObject({ ...ofWholeFile, code: 'unreadable', errno: 'EACCES', file });
    return undefined;
  });

  it('is refused with the errno too where a folder above it may not be entered', async ({
    skip,
  }) => {
    const closed = join(dir, 'closed');
    mkdirSync(closed);
    file = join(closed, 'fleet.yaml');
    writeFileSync(file, 'version: 1\n');
    chmodSync(closed, 0);
    const problem = await askAsOrdinaryUser();
    chmodSync(closed, 0o700);
    if (typeof problem === 'string') return skip(problem);
    expect(problem).toMatchObject({ ...ofWholeFile, code: 'unreadable', errno: 'EACCES', file });
    return undefined;
  });
});

/** Reads as another user, since file modes do not bind root. Returns text if that is not possible. */
async function askAsOrdinaryUser(): Promise<object | string> {
  chmodSync(dir, 0o755);
  const script = join(dir, 'ask.mjs');
  const entry = fileURLToPath(new URL('ask.ts', import.meta.url));
  copyFileSync(await bundleFile(entry, { packages: 'bundle' }), script);
  chmodSync(script, 0o644);
  const isSuperuser = process.getuid?.() === 0;
  const { status, stdout, stderr, error } = spawnSync(process.execPath, [script, file], {
    encoding: 'utf8',
    cwd: dir,
    ...(isSuperuser ? { uid: 65_534, gid: 65_534 } : {}),
  });
  if (status !== 0) return `no process of another user can be had: ${error?.message ?? stderr}`;
  return JSON.parse(stdout).problem;
}

/** Resolves once the first version is there. */
async function startSwapping(folder: string): Promise<ChildProcess> {
  const script = await bundleFile(fileURLToPath(new URL('swap.ts', import.meta.url)));
  const swapper = spawn(process.execPath, [script, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise<void>((ready, failed) => {
    swapper.stdout.once('data', () => ready());
    swapper.once('exit', () => failed(new Error('the swapping process ended')));
  });
  return swapper;
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await ended;
}
