/**
 * Removes expired sentinels from disk, one at a time, so that a thousand simultaneous deadlines do
 * not block the process.
 */
import {
  type Actor,
  appendJournal,
  type DiskPort,
  type RetireResult,
  retire,
} from '@fleet-estop/sentinel-core';

export interface ExpiredScope {
  readonly dir: string;
  readonly profile: string | null;
}

export interface RetirementReport {
  /**
   * The sentinel was removed. `journal`: why its journal line could not be written; null: it was.
   */
  retired(scope: ExpiredScope, holdIds: readonly string[], journal: string | null): void;
  /** The sentinel cannot be removed; reported once for each reason, however often it is tried. */
  stuck(scope: ExpiredScope, why: string): void;
  /** The scope changed: look at it again. */
  look(dir: string): void;
}

export interface Retirement {
  /**
   * All scopes with an expired sentinel, as of the newest look. Failed ones wait for `retry`: an
   * attempt leaves traces that are noticed and would cause the next attempt.
   */
  update(expired: readonly ExpiredScope[]): void;
  /** Called at every sweep. */
  retry(): void;
  close(): void;
}

/** Somebody else is working on it and will finish, or the next sweep tries again. */
const TRANSIENT = ['busy', 'superseded', 'absent', 'active'];

export function retirement(
  disk: DiskPort,
  root: string,
  actor: Actor,
  report: RetirementReport,
): Retirement {
  let queue: ExpiredScope[] = [];
  let turn: NodeJS.Immediate | undefined;
  let expiredScopes: readonly ExpiredScope[] = [];
  const reportedWhy = new Map<string, string>();

  const next = () => {
    turn = undefined;
    const scope = queue.shift();
    if (scope === undefined) return;
    settle(scope, attempt(scope.dir));
    if (queue.length > 0) turn = setImmediate(next);
  };

  const attempt = (dir: string): RetireResult => {
    try {
      return retire(disk, dir);
    } catch (error) {
      // One broken folder must not stop the others from being retired.
      return { retired: false, why: error instanceof Error ? error.message : String(error) };
    }
  };

  const settle = (scope: ExpiredScope, result: RetireResult) => {
    const { dir, profile } = scope;
    if (result.retired) {
      const { holds } = result;
      const named = profile === null ? {} : { profile };
      const entry = {
        event: 'retire',
        scope: dir,
        ...named,
        holds,
        generation: null,
        actor,
      } as const;
      const journaled = appendJournal(root, entry);
      const ids = holds.map(({ id }) => id);
      report.retired(scope, ids, journaled.written ? null : journaled.why);
      report.look(dir);
    } else if (!TRANSIENT.includes(result.why) && reportedWhy.get(dir) !== result.why) {
      reportedWhy.set(dir, result.why);
      report.stuck(scope, result.why);
    }
  };

  const enqueue = (scopes: readonly ExpiredScope[]) => {
    queue = [...scopes];
    if (queue.length > 0) turn ??= setImmediate(next);
  };

  return {
    update(expired) {
      expiredScopes = expired;
      const dirs = new Set(expired.map(({ dir }) => dir));
      for (const dir of reportedWhy.keys()) if (!dirs.has(dir)) reportedWhy.delete(dir);
      enqueue(expired.filter(({ dir }) => !reportedWhy.has(dir)));
    },
    retry: () => enqueue(expiredScopes),
    close() {
      queue = [];
      clearImmediate(turn);
    },
  };
}
