/**
 * Who runs this process. It is recorded for people and grants nothing.
 */
import os from 'node:os';
import type { Actor } from '../model/hold.ts';

/** Characters. The environment can be set to anything, so a name is cut. */
const MAX_NAME = 64;

/** A change by this process. `via`: the tool that made it. */
export const actorOf = (via: string, user: string): Actor => ({
  user,
  host: os.hostname(),
  pid: process.pid,
  via,
});

/** The person at the keyboard: with `sudo fleet pause`, people want that name, not root. */
export const personName = (): string => (process.env['SUDO_USER'] || userName()).slice(0, MAX_NAME);

/**
 * The user of this process. A service has no USER variable, so the name is looked up: one user must
 * not get two names.
 */
export function userName(): string {
  const { USER, LOGNAME } = process.env;
  const name = USER || LOGNAME || accountName() || `uid ${process.getuid?.() ?? '?'}`;
  return name.slice(0, MAX_NAME);
}

/** undefined: the user has no entry in the password file, which is common in containers. */
export function accountName(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    return undefined;
  }
}
