/**
 * A fleet in a temporary folder, and a watch on it in this process.
 * A whole watcher in a separate process is `process.ts`.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeDisk } from '@fleet-estop/sentinel-core';
import { onTestFinished } from 'vitest';
import type { Log } from '../../src/log.ts';
import type { FleetEvent } from '../../src/state/event-log.ts';
import type { FleetState } from '../../src/state/fleet-state.ts';
import { readFleet } from '../../src/state/read-fleet.ts';
import { createStore, type Snapshot } from '../../src/state/store.ts';
import { type FleetWatch, type FleetWatchOptions, watchFleet } from '../../src/watch-fleet.ts';

export const disk = nodeDisk();

/** Nothing in this folder can be looked at, as long as `code` is one. */
export function failingDisk(folder: string) {
  const failing = {
    ...disk,
    code: null as string | null,
    lstat(path: string) {
      const { code } = failing;
      if (code !== null && path.startsWith(folder)) throw Object.assign(new Error(path), { code });
      return disk.lstat(path);
    },
  };
  return failing;
}

/** A scope that nobody can look at, not even root: a link where the owner of a tenure would be. */
export function spoil(scope: string): void {
  mkdirSync(join(scope, '.ESTOP.txn'));
  symlinkSync('nowhere', join(scope, '.ESTOP.txn/x'));
}

/** Its wall clock can be set, and nothing else of it. */
export function clockedDisk() {
  const clocked = { ...disk, setByMs: 0, now: () => disk.now() + clocked.setByMs };
  return clocked;
}

/** Far beyond any test: what is seen, is seen by notice. */
export const NEVER_MS = 600_000;

const QUIET_MS = 100;

export function makeRoot(...lanes: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-watch-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'profiles'));
  for (const lane of lanes) mkdirSync(join(root, 'profiles', lane));
  return root;
}

export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly fields: { readonly [key: string]: unknown };
  readonly message: string;
}

export function listeningLog(lines: LogLine[], wake: () => void = () => {}): Log {
  const at = (level: LogLine['level']) => (fields: unknown, message?: string) => {
    lines.push({ level, fields: fields as LogLine['fields'], message: message ?? '' });
    wake();
  };
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return log as Log;
}

export interface Watched {
  readonly root: string;
  readonly watch: FleetWatch;
  readonly events: readonly FleetEvent[];
  readonly log: readonly LogLine[];
  /** Resolves with the first state that fits, now or later. */
  until(fits: (fleet: FleetState, snapshot: Snapshot) => boolean): Promise<FleetState>;
  untilEvent(type: string): Promise<FleetEvent>;
  /** No look for a while: whatever is seen from here on, somebody noticed. */
  untilQuiet(): Promise<void>;
  untilLogged(part: string): Promise<LogLine>;
}

export function watched(
  root: string,
  options: Partial<Omit<FleetWatchOptions, 'store' | 'log'>> = {},
): Watched {
  const store = createStore(readFleet(disk, root));
  const events: FleetEvent[] = [];
  const log: LogLine[] = [];
  const waiting = new Set<() => void>();
  const wake = () => {
    for (const look of [...waiting]) look();
  };
  store.subscribe((_snapshot, fresh) => {
    events.push(...fresh);
    wake();
  });
  const watch = watchFleet({
    mode: 'native',
    sweepMs: NEVER_MS,
    intervalMs: 15,
    disk: options.disk ?? disk,
    actor: { user: 'tester', host: 'here', pid: 1, via: 'fleet-watcher' },
    refreshSettings: () => {},
    swept: () => {},
    ...options,
    store,
    log: listeningLog(log, wake),
  });
  onTestFinished(() => watch.close());
  const until = <T>(find: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  return {
    root,
    watch,
    events,
    log,
    until: (fits) =>
      until(() => {
        const snapshot = store.snapshot();
        return fits(snapshot.fleet, snapshot) ? snapshot.fleet : undefined;
      }),
    untilQuiet: () =>
      new Promise((resolve) => {
        const quiet = () => {
          waiting.delete(again);
          resolve();
        };
        let timer = setTimeout(quiet, QUIET_MS);
        const again = () => {
          clearTimeout(timer);
          timer = setTimeout(quiet, QUIET_MS);
        };
        waiting.add(again);
      }),
    untilEvent: (type) => until(() => events.find((event) => event.type === type)),
    untilLogged: (part) => until(() => log.find(({ message }) => message.includes(part))),
  };
}

export const lane = (fleet: FleetState, name: string) =>
  fleet.profiles.find((profile) => profile.name === name);

export const laneHeld = (name: string) => (fleet: FleetState) =>
  lane(fleet, name)?.own?.engaged === true;

export const laneFree = (name: string) => (fleet: FleetState) =>
  lane(fleet, name)?.own?.engaged === false;

export const reasonIn = (fleet: FleetState, name: string) =>
  lane(fleet, name)?.own?.holds[0]?.reason;
