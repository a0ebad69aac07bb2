/**
 * What the processes of one run write down, so that a kill between any two of their steps loses no
 * line of it: counters, slates and violations, each in a file of its own in a temporary folder.
 * What is written there, and when, is its writers' affair.
 */
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Violation {
  /** The process that noticed. */
  readonly by: string;
  readonly what: string;
  readonly [context: string]: unknown;
}

export interface Ledger {
  /** Adds one. */
  count(name: string): void;
  counted(name: string): number;
  /** Every counter whose name begins so, without that beginning. */
  countedUnder(prefix: string): Record<string, number>;
  violation(violation: Violation): void;
  violations(): Violation[];
  /** One value, replaced as a whole: its readers see the old one or the new one. */
  slate<T>(name: string): Slate<T>;
}

export interface Slate<T> {
  read(): T | null;
  write(value: T): void;
}

/** A run with more violations than this only counts them: the first tell the story. */
const MAX_VIOLATIONS = 50;

export function openLedger(dir: string): Ledger {
  const counters = new Map<string, number>();
  const path = (name: string) => join(dir, encodeURIComponent(name));
  const counted = (name: string) =>
    statSync(path(`n ${name}`), { throwIfNoEntry: false })?.size ?? 0;

  const ledger: Ledger = {
    // A byte at the end of a file: no process can undo another's.
    count(name) {
      let fd = counters.get(name);
      if (fd === undefined) {
        fd = openSync(path(`n ${name}`), 'a');
        counters.set(name, fd);
      }
      writeSync(fd, '.');
    },
    counted,
    countedUnder(prefix) {
      const names = readdirSync(dir).map((name) => decodeURIComponent(name));
      const found = names.filter((name) => name.startsWith(`n ${prefix}`)).sort();
      return Object.fromEntries(
        found.map((name) => [name.slice(`n ${prefix}`.length), counted(name.slice(2))]),
      );
    },
    violation(violation) {
      ledger.count('violations');
      if (counted('violations') > MAX_VIOLATIONS) return;
      const fd = openSync(path('violations'), 'a');
      writeSync(fd, `${JSON.stringify({ at: new Date().toISOString(), ...violation })}\n`);
      closeSync(fd);
    },
    violations() {
      const text = readOr('', path('violations'));
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Violation);
    },
    slate<T>(name: string) {
      return {
        read() {
          const text = readOr('', path(name));
          return text === '' ? null : (JSON.parse(text) as T);
        },
        write(value) {
          const draft = path(`${name}.draft`);
          writeFileSync(draft, JSON.stringify(value));
          renameSync(draft, path(name));
        },
      };
    },
  };
  return ledger;
}

function readOr(otherwise: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return otherwise;
    throw error;
  }
}
