/**
 * Who owns the instance lock, and whether that process is certainly gone: judged by its process
 * mark, or by its socket.
 * How the lock changes owner is in `contention.ts`.
 */
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import {
  type Fate,
  fateOf as fateByProcess,
  formatInstant,
  here,
  markOf,
  type Place,
  type ProcessMark,
  parseMark,
  sharesKernel,
} from '@fleet-estop/sentinel-core';

export interface Owner extends ProcessMark {
  /** ISO 8601. */
  readonly since: string;
  /** File names of its socket in `.fleet/`: during its start, and once it is ready. */
  readonly sockets: readonly string[];
  /** Device and inode of the `.fleet/` that it owns; '': the record is from an older watcher. */
  readonly folder: string;
}

export function ourselves(folder: string, sockets: readonly string[]): Owner {
  const mark = markOf() ?? { pid: process.pid, birth: '', place: here() };
  return { ...mark, since: formatInstant(Date.now()), sockets, folder: identityOf(folder) };
}

/** null: the text is not an owner's record. */
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

/**
 * On `unknown` we stay away: two watchers do not harm holds, but both would claim to know the
 * state.
 */
export async function fateOf(owner: Owner, folder: string, at: Place = here()): Promise<Fate> {
  const fate = fateByProcess(owner, at);
  if (fate === 'alive' && isCopied(owner, folder)) return fateInCopy(owner, folder);
  // Same kernel, another container: its process ids mean nothing here, but its socket does.
  return fate === 'unknown' && sharesKernel(owner.place, at) ? fateBySocket(owner, folder) : fate;
}

/**
 * The record came with a copy of the fleet (`cp -a`) and names the original's owner. The same
 * folder may have another identity through another mount, so this is only a reason to probe.
 */
const isCopied = (owner: Owner, folder: string): boolean =>
  owner.folder !== '' && owner.folder !== identityOf(folder);

/** A living owner would listen here. In a copy nobody does, and a copy may lack the sockets. */
async function fateInCopy({ sockets }: Owner, folder: string): Promise<Fate> {
  const answers = await Promise.all(sockets.map((name) => answerAt(join(folder, name))));
  return answers.every((code) => code === 'ECONNREFUSED' || code === 'ENOENT') ? 'gone' : 'alive';
}

function identityOf(folder: string): string {
  const { dev, ino } = statSync(folder, { bigint: true });
  return `${dev}:${ino}`;
}

/** The kernel refuses connections to a dead process's socket, but not to a stopped process's. */
async function fateBySocket({ sockets }: Owner, folder: string): Promise<Fate> {
  const answers = await Promise.all(sockets.map((name) => answerAt(join(folder, name))));
  if (answers.includes('')) return 'alive';
  const refused = answers.includes('ECONNREFUSED');
  return refused && answers.every((code) => code === 'ECONNREFUSED' || code === 'ENOENT')
    ? 'gone'
    : 'unknown';
}

/** '' if somebody listens there, else the errno. */
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
