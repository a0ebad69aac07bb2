/**
 * Records on disk how many runs of a job are owed, so that neither a pause nor a kill loses any.
 * Whether a job may run is decided at the doors, in `cron.ts`.
 */
import type { Log } from './log.ts';
import { readSmall, replaceFile } from './small-files.ts';

export interface Schedule {
  /** Adds the runs that have become due; answers how many are owed in total, and how many are new. */
  look(job: string): { readonly owed: number; readonly due: number };
  /** Subtracts runs that were done or caught up on. */
  settle(job: string, runs: number): void;
}

interface Account {
  /** All runs due up to this instant are counted. ISO 8601. */
  readonly at: string;
  readonly owed: number;
}

/** Owed runs are not counted beyond this. */
const MOST_OWED = 1_000;

/** `dueAfter` returns at most `most` times at which the job is due after an instant. */
export function openSchedule(
  path: string,
  dueAfter: (job: string, after: Date, most: number) => readonly Date[],
  log: Log,
): Schedule {
  /** Read each time: the file is small and may be edited by hand. */
  const read = (): Record<string, Account> => {
    try {
      return accountsOf(JSON.parse(readSmall(path)?.text ?? '{}'));
    } catch (error) {
      log('the record of owed runs cannot be read: starting at zero', {
        path,
        error: String(error),
      });
      return {};
    }
  };
  const write = (job: string, account: Account): void =>
    replaceFile(path, `${JSON.stringify({ ...read(), [job]: account }, null, 2)}\n`);

  return {
    look(job) {
      const now = Date.now();
      const account = read()[job] ?? { at: new Date(now).toISOString(), owed: 0 };
      // If the clock was set back, the job must not stop until it reaches the old time.
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
  const accounts: Record<string, Account> = {};
  for (const [job, account] of Object.entries(Object(value) as Record<string, unknown>)) {
    const { at, owed } = Object(account) as { at?: unknown; owed?: unknown };
    if (typeof at !== 'string' || Number.isNaN(Date.parse(at))) continue;
    if (typeof owed === 'number' && Number.isSafeInteger(owed) && owed >= 0) {
      accounts[job] = { at, owed };
    }
  }
  return accounts;
}
