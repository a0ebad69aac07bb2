/**
 * Which runs of a job were due, and which of them are still owed: on disk, so that nothing is forgotten
 * by a pause or a kill. When a job may run is asked at the doors, in `cron.ts`.
 */
import type { Log } from './log.ts';
import { readSmall, replaceFile } from './small-files.ts';

export interface Schedule {
  /** Counts what has come due by now; answers how many runs are owed in all, and how many are new. */
  look(job: string): { readonly owed: number; readonly due: number };
  /** So many of them have been run, or made up for. */
  settle(job: string, runs: number): void;
}

interface Account {
  /** Up to this instant everything that was due is counted. */
  readonly at: string;
  readonly owed: number;
}

/** More than that were missed: how many is not told any more. */
const MOST_OWED = 1_000;

/** `dueAfter`: when the job was due after this instant, at most so many. */
export function openSchedule(
  path: string,
  dueAfter: (job: string, after: Date, most: number) => readonly Date[],
  log: Log,
): Schedule {
  /** Read each time: it is small, and the file may be edited by hand. */
  const read = (): Record<string, Account> => {
    try {
      return accountsOf(JSON.parse(readSmall(path)?.text ?? '{}'));
    } catch (error) {
      log('what was missed is not known: it begins anew', { path, error: String(error) });
      return {};
    }
  };
  const write = (job: string, account: Account): void =>
    replaceFile(path, `${JSON.stringify({ ...read(), [job]: account }, null, 2)}\n`);

  return {
    look(job) {
      const now = Date.now();
      const account = read()[job] ?? { at: new Date(now).toISOString(), owed: 0 };
      // A clock that was set back must not stop the job until it has caught up.
      const from = Math.min(Date.parse(account.at), now);
      const runs = dueAfter(job, new Date(from), MOST_OWED).filter((at) => at.getTime() <= now);
      const owed = Math.min(account.owed + runs.length, MOST_OWED);
      write(job, { at: new Date(now).toISOString(), owed });
      return { owed, due: runs.length };
    },
    settle(job, runs) {
      const account = read()[job];
      if (account !== undefined) {
        write(job, { ...account, owed: Math.max(0, account.owed - runs) });
      }
    },
  };
}

function accountsOf(value: unknown): Record<string, Account> {
  const found: Record<string, Account> = {};
  for (const [job, account] of Object.entries(Object(value) as Record<string, unknown>)) {
    const { at, owed } = Object(account) as { at?: unknown; owed?: unknown };
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) continue;
    if (typeof owed === 'number' && Number.isSafeInteger(owed) && owed >= 0) {
      found[job] = { at, owed };
    }
  }
  return found;
}
