/**
 * Who has the seat, and whether that process is certainly gone.
 * How the seat changes hands is `seat.ts`.
 */
import { connect } from 'node:net';
import { join } from 'node:path';
import { formatInstant } from '@fleet-estop/sentinel-core';
import { here, type Place, processAt } from './place.ts';

export interface Owner {
  readonly pid: number;
  readonly birth: string;
  readonly place: Place;
  /** ISO 8601. */
  readonly since: string;
  /** File names of its socket in `.fleet/`: while it starts, and once it is ready. */
  readonly sockets: readonly string[];
}

export function ourselves(sockets: readonly string[]): Owner {
  const { pid } = process;
  const found = processAt(pid);
  const birth = found === 'gone' ? '' : found.birth;
  return { pid, birth, place: here(), since: formatInstant(Date.now()), sockets };
}

/** null: this is no record of an owner. */
export function parseOwner(text: string): Owner | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null;
  }
  const { pid, birth, place, since, sockets } = fieldsOf(parsed);
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0) return null;
  const { host, machine, boot, pids } = fieldsOf(place);
  return {
    pid,
    birth: textOf(birth),
    since: textOf(since),
    place: {
      host: textOf(host),
      machine: textOf(machine),
      boot: textOf(boot),
      pids: textOf(pids),
    },
    sockets: Array.isArray(sockets)
      ? sockets.map(textOf).filter((name) => /^[\w.-]+$/.test(name))
      : [],
  };
}

export type Fate = 'alive' | 'gone' | 'unknown';

/**
 * `gone` only where that is certain. A stopped process is alive. What lives on another machine, or
 * may do so, is unknown: two watchers do no harm to holds, but they would both claim to know.
 */
export async function fateOf(owner: Owner, folder: string, at: Place = here()): Promise<Fate> {
  const { place } = owner;
  if (place.boot !== '' && place.boot === at.boot) {
    if (place.pids !== '' && place.pids === at.pids) return fateByProcess(owner);
    // The same kernel in another container: its process ids mean nothing here, its socket does.
    return fateBySocket(owner, folder);
  }
  const rebooted =
    place.boot !== '' && at.boot !== '' && place.machine !== '' && place.machine === at.machine;
  return rebooted && place.host === at.host ? 'gone' : 'unknown';
}

function fateByProcess({ pid, birth }: Owner): Fate {
  const found = processAt(pid);
  if (found === 'gone') return 'gone';
  // The id was given to a later process.
  return birth !== '' && found.birth !== '' && birth !== found.birth ? 'gone' : 'alive';
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

const fieldsOf = (value: unknown): { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null ? (value as { [key: string]: unknown }) : {};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
