/**
 * What another user of the host gets at a socket, tried by a process of that user. Linux, and root.
 */
import { spawn, spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { beforeEach } from 'vitest';

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** `nobody` on Linux: owns nothing, and is in no group. */
export const NOBODY: User = { uid: 65_534, gid: 65_534 };

/** Skips the tests of a group out loud where no other user can be had. */
export function needsOtherUsers(): void {
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing);
  });
}

/** Sends a line, and waits for the first bytes that come back. */
const TRY = `
const [path, line] = process.argv.slice(1);
const socket = require('node:net').connect(path);
const say = (text) => { process.stdout.write(text); process.exit(0); };
socket.on('connect', () => socket.write(line));
socket.on('data', (bytes) => say(String(bytes).split(/\\r?\\n/)[0]));
socket.on('close', () => say('closed'));
socket.on('error', (error) => say(error.code));
`;

/** The first line of the answer, or the errno. */
export function tries(user: User, path: string, line: string): Promise<string> {
  const child = spawn(process.execPath, ['-e', TRY, path, line], {
    ...user,
    cwd: tmpdir(),
    env: {},
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    child.stdout.on('data', (bytes) => {
      said += String(bytes);
    });
    child.on('error', reject);
    child.on('close', () => resolve(said));
  });
}

const missing = probe();

function probe(): string | undefined {
  if (process.platform !== 'linux') return 'other users are tested on Linux only';
  if (process.getuid?.() !== 0) return 'only root may start a process of another user';
  const { status } = spawnSync(process.execPath, ['-e', '0'], { ...NOBODY, cwd: tmpdir() });
  return status === 0 ? undefined : `a process of another user ended with ${status}`;
}
