/**
 * The interface for observing folders: it notifies that something may have changed. A notification
 * is a hint to look again, never a statement of fact [9].
 * Implementations: `notices.ts` with `fs.watch` (`plain-folder.ts`) or chokidar
 * (`chokidar-folder.ts`), and `poll.ts`. `choose.ts` picks one.
 */

/** Which folders a look rereads: everything, or only these. */
export type LookScope = 'all' | ReadonlySet<string>;

/** A folder, and which of its entries matter. */
export interface Folder {
  readonly dir: string;
  /** `scope`: may be held, and may be busy with other files. `shape`: lists what exists. */
  readonly kind: 'scope' | 'shape';
  /** null: any entry that appears or disappears. */
  readonly names: readonly string[] | null;
}

/**
 * The entry `name` in `dir` may have changed; null: an unknown entry, or the folder itself. May
 * come late, twice, or without a change.
 */
export type Notify = (dir: string, name: string | null) => void;

/** How changes are noticed, besides the sweep. */
export interface Observing {
  /** Source of notices: `fs.watch` for scopes, or chokidar; null: none. */
  readonly notices: 'native' | 'chokidar' | null;
  /** Number of polled folders. */
  readonly polled: number;
}

export interface SentinelObserver {
  /**
   * Observes exactly these folders. A folder that was replaced since the last call is observed
   * anew; an absent one is skipped, so call this again at every sweep. A new folder notifies once
   * as soon as its changes are noticed: whatever happened before must be looked for.
   */
  watch(folders: readonly Folder[]): void;
  /**
   * A look at these folders begins, whoever asked for it. From now on, anything that differs from
   * what the look sees must cause a notification.
   */
  looking(lookScope: LookScope): void;
  /**
   * Folders that exist and cannot be observed, with the errno: only the sweep sees their changes.
   */
  readonly deaf: ReadonlyMap<string, string>;
  /** Number of folders that are polled because notices may not come. */
  readonly polled: number;
  close(): void;
}

/** The first notification for a new folder. */
export const notifyFirst = ({ dir, kind, names }: Folder, notify: Notify): void =>
  notify(dir, kind === 'scope' ? (names?.[0] ?? null) : null);
