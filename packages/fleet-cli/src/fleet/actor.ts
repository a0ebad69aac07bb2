/**
 * Who runs this process. It is recorded for people and grants nothing.
 */

import os, { hostname } from 'node:os';
import type { Actor } from '@fleet-estop/sentinel-core';

/** Characters. The environment can be set to anything, so the name is cut. */
const MAX_NAME = 64;

export function actorOf(verb: string): Actor {
  const { SUDO_USER, USER, LOGNAME } = process.env;
  // With `sudo fleet pause`, people want the name of the person, not root.
  // A service has no USER variable, so the name is looked up: one user must not get two names.
  const user = SUDO_USER || USER || LOGNAME || userName() || `uid ${process.getuid?.() ?? '?'}`;
  return {
    user: user.slice(0, MAX_NAME),
    host: hostname(),
    pid: process.pid,
    via: `fleet ${verb}`,
  };
}

/** undefined: the user has no entry in the password file, which is common in containers. */
export function userName(): string | undefined {
  try {
    return os.userInfo().username;
  } catch {
    return undefined;
  }
}
