/**
 * What it means to observe folders: to be told that something in them may have changed. It is a
 * hint to look again, never a statement [9].
 * There are three ways to be told: `notices.ts` with the kernel's (`plain-folder.ts`) or with
 * chokidar's (`chokidar-folder.ts`), and `poll.ts`. Which is used where is `choose.ts`.
 */

/** Everything, or only these folders. */
export type LookScope = 'all' | ReadonlySet<string>;

/** A folder, and which of its entries matter. */
export interface Folder {
  readonly dir: string;
  /** `scope`: may be held, and may be busy with files of others. `shape`: tells what there is. */
  readonly kind: 'scope' | 'shape';
  /** null: any entry that comes or goes. */
  readonly names: readonly string[] | null;
}

/**
 * Something named `name` in `dir` may have changed; null: which is not known, or the folder itself.
 * May come late, twice, or for nothing.
 */
export type Notify = (dir: string, name: string | null) => void;

/** How changes are learned of, beside the sweep. */
export interface Observing {
  /** Whose notices: the kernel's for scopes, or chokidar's; null: nobody's. */
  readonly notices: 'native' | 'chokidar' | null;
  /** Folders that are polled. */
  readonly polled: number;
}

export interface SentinelObserver {
  /**
   * Observes these folders and no others. One that was replaced since the last call is observed
   * anew; one that is absent is not, and need not be: call this again at every sweep. A folder that
   * is new to the observer rings once as soon as what happens there is noticed from then on: what
   * happened before must be looked for.
   */
  watch(folders: readonly Folder[]): void;
  /**
   * A look at these folders begins, whoever asked for it: from this moment on, what differs from
   * what that look sees must ring.
   */
  looking(lookScope: LookScope): void;
  /** Folders that are there and cannot be observed, with the errno: only the sweep sees them. */
  readonly deaf: ReadonlyMap<string, string>;
  /** Folders that are looked at again and again, since notices may not come. */
  readonly polled: number;
  close(): void;
}

/** What a fresh folder is said to have changed. */
export const notifyFirst = ({ dir, kind, names }: Folder, ring: Notify): void =>
  ring(dir, kind === 'scope' ? (names?.[0] ?? null) : null);
