/**
 * Authenticates users by bearer token, from one file that nobody else may read.
 * What they may start is decided at the doors.
 */
import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { readSmall } from './small-files.ts';

export interface People {
  /** Name of the user who sent the request; null if unknown. */
  nameOf(request: IncomingMessage): string | null;
  mayPause(name: string): boolean;
}

/** The users file: `users.json` in the home, or `SAMPLE_GATEWAY_USERS`, such as a mounted secret. */
export const peopleFile = (home: string): string =>
  process.env['SAMPLE_GATEWAY_USERS'] ?? join(home, 'users.json');

const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MIN_TOKEN = 16;

/** Reads the file once. Throws if it is missing, invalid, or readable by others. */
export function openPeople(path: string): People {
  // Looked up by digest, so that the time of a comparison reveals nothing about a token.
  const names = new Map<string, string>();
  const operators = new Set<string>();
  for (const { name, token, mayPause } of readPeople(path)) {
    names.set(digest(token), name);
    if (mayPause) operators.add(name);
  }
  return {
    nameOf({ headers }) {
      const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
      return token === undefined ? null : (names.get(digest(token)) ?? null);
    },
    mayPause: (name) => operators.has(name),
  };
}

/** Creates the file at the first run: one user who may pause, one who may not. false: it exists already. */
export function makePeople(path: string): boolean {
  const token = () => randomBytes(24).toString('base64url');
  const people = { operator: { token: token(), may_pause: true }, guest: { token: token() } };
  try {
    writeFileSync(path, `${JSON.stringify(people, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The token of a user, for clients that may read the file; null if there is no such user. */
export const tokenOf = (path: string, name: string): string | null =>
  readPeople(path).find((person) => person.name === name)?.token ?? null;

interface Person {
  readonly name: string;
  readonly token: string;
  readonly mayPause: boolean;
}

function readPeople(path: string): Person[] {
  const file = readSmall(path);
  if (file === null) throw new Error(`\`${path}\` does not exist`);
  if ((file.mode & 0o077) !== 0) {
    throw new Error(`\`${path}\` can be read by others: chmod 600 it, and change its tokens`);
  }
  return Object.entries(asObject(parse(path, file.text))).map(([name, person]) => {
    const { token, may_pause: mayPause = false } = asObject(person);
    const isSound = typeof token === 'string' && token.length >= MIN_TOKEN;
    if (NAME.test(name) && isSound && typeof mayPause === 'boolean') {
      return { name, token, mayPause };
    }
    const due = `{"token": at least ${MIN_TOKEN} characters, "may_pause"?: true}`;
    throw new Error(`\`${name}\` of \`${path}\` must be ${due}`);
  });
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // No `cause`: its message would quote the text, and with it tokens.
    throw new Error(`\`${path}\` is not JSON: repair it, or remove it to create a new one`);
  }
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
