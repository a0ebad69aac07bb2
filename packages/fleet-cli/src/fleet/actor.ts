/**
 * Who runs this process: a record for people, never an authority.
 */

import os, { hostname } from 'node:os';
import type { Actor } from '@fleet-estop/sentinel-core';

/** Longer is no user's name, and the environment is anybody's to set. */
const MAX_NAME = 64;

export function actorOf(verb: string): Actor {
  const { SUDO_USER, USER, LOGNAME } = process.env;
  // Of `sudo fleet pause`, people want to know who, and not that it was root.
  // A service has no USER: of one and the same user, that would make two.
  const user = SUDO_USER || USER || LOGNAME || userName() || `uid ${process.getuid?.() ?? '?'}`;
  return {
    user: user.slice(0, MAX_NAME),
    host: hostname(),
    pid: process.pid,
    via: `fleet ${verb}`,
  };
}

/** undefined: the user has no entry in the password file, as in many containers. */
export function userName(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    return undefined;
  }
}
