/**
 * The kit's own fleet: one root and one profile in a temporary folder. Holds are armed and lifted by the
 * library, as an operator does; unreadable sentinels are written directly.
 * What is tested with it is `cases/`.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Allow,
  arm,
  check,
  formatInstant,
  type Hold,
  lift,
  nodeDisk,
  SENTINEL,
} from '@fleet-estop/sentinel-core';
import type { KitFleet } from './adapter.ts';
import { type FalseWatcher, falseWatcher } from './false-watcher.ts';

export type KitScope = 'root' | 'profile';

export interface Fleet extends KitFleet {
  /** Places a hold. Answers its id. */
  arm(scope: KitScope, hold?: { reason?: string; allow?: Allow; endsAtMs?: number }): string;
  /** Lifts every hold in this scope. */
  lift(scope: KitScope): void;
  holds(scope: KitScope): readonly Hold[];
  /** Replaces the sentinel by something that the library would not write. */
  put(scope: KitScope, what: Put): void;
  /** The fake watcher to which the gateway links. */
  readonly watcher: FalseWatcher;
  clear(): void;
  remove(): void;
}

export async function makeFleet(): Promise<Fleet> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-kit-')));
  const profile = 'kit-lane';
  const home = join(root, 'profiles', profile);
  mkdirSync(home, { recursive: true });
  const disk = nodeDisk();
  const dirOf = (scope: KitScope): string => (scope === 'root' ? root : home);
  const pathOf = (scope: KitScope): string => join(dirOf(scope), SENTINEL);
  const holds = (scope: KitScope): readonly Hold[] => {
    const state = check(disk, dirOf(scope));
    return state.engaged ? state.holds : [];
  };
  const watcher = await falseWatcher(root);
  return {
    watcher,
    root,
    home,
    profile,
    holds,
    arm(scope, { reason = 'tried by the kit', allow, endsAtMs } = {}) {
      const result = arm(disk, dirOf(scope), {
        reason,
        allow: allow ?? null,
        expiresAt: endsAtMs === undefined ? null : formatInstant(endsAtMs),
      });
      if (!result.armed) throw new Error(`the kit could not pause its own fleet: ${result.why}`);
      return result.id;
    },
    lift(scope) {
      lift(disk, dirOf(scope), { everyone: true });
      if (holds(scope).length > 0) throw new Error('the kit could not lift its own hold');
    },
    put(scope, what) {
      rmSync(pathOf(scope), { recursive: true, force: true });
      what(pathOf(scope));
    },
    clear() {
      for (const scope of ['root', 'profile'] as const) {
        rmSync(pathOf(scope), { recursive: true, force: true });
      }
    },
    remove() {
      watcher.leave();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

type Put = (path: string) => void;

const written =
  (body: string | object): Put =>
  (path) =>
    writeFileSync(path, typeof body === 'string' ? body : JSON.stringify(body));

const LONG_AGO = { engaged_at: '2019-12-31T00:00:00Z', expires_at: '2020-01-01T00:00:00Z' };

/** Sentinels that expired long ago, by kind. */
export const EXPIRED: Readonly<Record<string, Put>> = {
  'of an older tool': written({ reason: 'tried by the kit', ...LONG_AGO }),
  'with a holder': written({
    ...LONG_AGO,
    holds: [{ id: 'kit', holder: 'operator', ...LONG_AGO }],
  }),
};

/** Unreadable sentinels, which count as held, by kind. Each function creates one at a free path. */
export const UNREADABLE: Readonly<Record<string, Put>> = {
  'a text that is not JSON': written('paused, I think'),
  'half of a body': written('{"reason": "tried by the'),
  'a body with an invalid deadline': written({ expires_at: 'yesterday' }),
  'an empty file': written(''),
  'a folder': (path) => mkdirSync(path),
  'a FIFO': (path) => {
    const { error, status } = spawnSync('mkfifo', [path]);
    if (status !== 0) throw new Error('the kit needs `mkfifo` in its PATH', { cause: error });
  },
  'a dangling link': (path) => symlinkSync(`${path}-of-nothing`, path),
};
