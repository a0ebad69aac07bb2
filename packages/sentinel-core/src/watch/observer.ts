/**
 * The interface of change notifiers: they notify that something in a folder may have changed. A
 * notification is a hint to look again, never a statement of fact [9].
 * `notices.ts` is one; the watcher has another one that polls. `scheduler.ts` decides what is
 * looked at after a notification.
 */

/** Which folders a look rereads: everything, or only these. */
export type LookScope = 'all' | ReadonlySet<string>;

/** A folder, and which of its entries matter. */
export interface WatchedFolder {
  readonly dir: string;
  /** `scope`: may be held, and may be busy with other files. `shape`: lists what exists. */
  readonly kind: 'scope' | 'shape';
  /** null: any entry that appears or disappears. */
  readonly names: readonly string[] | null;
  /** true: notifies also when the folder appears. Default: somebody else notices that. */
  readonly awaited?: boolean;
}

/**
 * The entry `name` in `dir` may have changed; null: an unknown entry, or the folder itself. May
 * come late, twice, or without a change.
 */
export type Notify = (dir: string, name: string | null) => void;

export interface ChangeNotifier {
  /**
   * Observes exactly these folders. A folder that was replaced since the last call is observed
   * anew; an absent one is skipped or awaited, so call this again at every sweep. A new folder
   * notifies once as soon as its changes are noticed: whatever happened before must be looked for.
   */
  watch(folders: readonly WatchedFolder[]): void;
  /**
   * A look at these folders begins, whoever asked for it. From now on, anything that differs from
   * what the look sees must cause a notification.
   */
  looking(lookScope: LookScope): void;
  /**
   * Folders that cannot be observed (they may not be entered, or the kernel grants no more
   * watches), with the errno: only the sweep sees their changes.
   */
  readonly deaf: ReadonlyMap<string, string>;
  /** Number of folders that are polled because notices may not come. */
  readonly polled: number;
  close(): void;
}

export interface FolderListener {
  /** null: the name of the entry is unknown. */
  noticed(name: string | null): void;
  /** From now on changes are noticed. */
  ready(): void;
  /** No more changes will be noticed; an errno. */
  failed(why: string): void;
}

/** Watches one folder without its subfolders. May throw an errno. Returns how to stop. */
export type OpenFolder = (
  folder: Pick<WatchedFolder, 'dir' | 'kind'>,
  listener: FolderListener,
) => () => void;

/** The first notification for a new folder. */
export const notifyFirst = ({ dir, kind, names }: WatchedFolder, notify: Notify): void =>
  notify(dir, kind === 'scope' ? (names?.[0] ?? null) : null);
