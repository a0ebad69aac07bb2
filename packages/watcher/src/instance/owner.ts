/**
 * Who has the seat, and whether that process is certainly gone: by `liveness`, or by its socket.
 * How the seat changes hands is `instance-lock.ts`.
 */
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  type Fate,
  fateOf as fateByProcess,
  here,
  markOf,
  type Place,
  type ProcessMark,
  parseMark,
  sharesKernel,
} from '@fleet-estop/liveness';
import { formatInstant } from '@fleet-estop/sentinel-core';

export interface Owner extends ProcessMark {
  /** ISO 8601. */
  readonly since: string;
  /** File names of its socket in `.fleet/`: while it starts, and once it is ready. */
  readonly sockets: readonly string[];
  /** Device and inode of the `.fleet/` that it is the owner of; '': an older watcher's record. */
  readonly folder: string;
}

export function ourselves(folder: string, sockets: readonly string[]): Owner {
  const mark = markOf() ?? { pid: process.pid, birth: '', place: here() };
  return { ...mark, since: formatInstant(Date.now()), sockets, folder: identityOf(folder) };
}

/** null: this is no record of an owner. */
export function parseOwner(text: string): Owner | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const mark = parseMark(parsed);
  if (mark === null) return null;
  const { since, sockets, folder } = parsed as Record<'since' | 'sockets' | 'folder', unknown>;
  return {
    ...mark,
    since: textOf(since),
    folder: textOf(folder),
    sockets: Array.isArray(sockets)
      ? sockets.map(textOf).filter((name) => /^[\w.-]+$/.test(name))
      : [],
  };
}

/** Unknown: two watchers do no harm to holds, but they would both claim to know. */
export async function fateOf(owner: Owner, folder: string, at: Place = here()): Promise<Fate> {
  const fate = fateByProcess(owner, at);
  if (fate === 'alive' && isCopied(owner, folder)) return fateInCopy(owner, folder);
  // The same kernel in another container: its process ids mean nothing here, its socket does.
  return fate === 'unknown' && sharesKernel(owner.place, at) ? fateBySocket(owner, folder) : fate;
}

/**
 * The record came here with a copy of the fleet (`cp -a`): it tells of the original's owner. Through
 * another mount, the same folder may show another identity: so it is only a reason to ask.
 */
const isCopied = (owner: Owner, folder: string): boolean =>
  owner.folder !== '' && owner.folder !== identityOf(folder);

/** Its owner would listen here; in a copy nobody does, and a copy need not have its sockets. */
async function fateInCopy({ sockets }: Owner, folder: string): Promise<Fate> {
  const answers = await Promise.all(sockets.map((name) => answerAt(join(folder, name))));
  return answers.every((code) => code === 'ECONNREFUSED' || code === 'ENOENT') ? 'gone' : 'alive';
}

function identityOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** A kernel refuses a connection to a socket whose process is no more, and not to one of a stopped. */
async function fateBySocket({ sockets }: Owner, folder: string): Promise<Fate> {
  const answers = await Promise.all(sockets.map((name) => answerAt(join(folder, name))));
  if (answers.includes('')) return 'alive';
  const refused = answers.includes('ECONNREFUSED');
  return refused && answers.every((code) => code === 'ECONNREFUSED' || code === 'ENOENT')
    ? 'gone'
    : 'unknown';
}

/** '' when somebody listens there, else the errno. */
export function answerAt(path: string, timeoutMs = 1_000): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (code: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(code);
    };
    const timer = setTimeout(() => done('ETIMEDOUT'), timeoutMs);
    socket.on('connect', () => done(''));
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? 'unknown'));
  });
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
