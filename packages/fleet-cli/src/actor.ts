/**
 * Who runs this process: a record for people, never an authority.
 */
import { hostname } from 'node:os';
import type { Actor } from '@fleet-estop/sentinel-core';

/** Longer is no user's name, and the environment is anybody's to set. */
const MAX_NAME = 64;

export function actorOf(verb: string): Actor {
  // Not os.userInfo(): it throws for a user without an entry in the password file.
  const { SUDO_USER, USER, LOGNAME } = process.env;
  // Of `sudo fleet pause`, people want to know who, and not that it was root.
  const user = SUDO_USER || USER || LOGNAME || `uid ${process.getuid?.() ?? '?'}`;
  return {
    user: user.slice(0, MAX_NAME),
    host: hostname(),
    pid: process.pid,
    via: `fleet ${verb}`,
  };
}
