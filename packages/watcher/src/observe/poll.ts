/**
 * Notifies of changes by polling: compares the metadata of the entries that matter at intervals.
 * For file systems that are changed from elsewhere, without notices here.
 */
import { lstatSync, readdirSync } from 'node:fs';
import {
  type ChangeNotifier,
  identifyFolder,
  type Notify,
  notifyFirst,
  type WatchedFolder,
} from '@fleet-estop/sentinel-core';

export interface PollOptions {
  readonly intervalMs?: number;
}

interface Polled {
  readonly folder: WatchedFolder;
  /** By name; '' is the folder itself. */
  signatures: ReadonlyMap<string, string>;
  /** Recently changed entries, and when the change was last seen; monotonic milliseconds. */
  readonly changedAtMs: Map<string, number>;
}

/**
 * In intervals. A file system's clock stands still for milliseconds, on old ones for two seconds,
 * and a second change within one tick can leave the same signature. So a change keeps notifying
 * until it is older than any tick.
 */
const NOTIFY_FOR_INTERVALS = 2;

export function notifyByPolling(
  notify: Notify,
  { intervalMs = 1_000 }: PollOptions = {},
): ChangeNotifier {
  const polled = new Map<string, Polled>();

  const poll = () => {
    const nowMs = performance.now();
    for (const entry of polled.values()) {
      updateSignatures(entry, nowMs);
      for (const [name, changedMs] of entry.changedAtMs) {
        if (nowMs - changedMs >= NOTIFY_FOR_INTERVALS * intervalMs) entry.changedAtMs.delete(name);
        notify(entry.folder.dir, name === '' ? null : name);
      }
    }
  };

  const timer = setInterval(poll, intervalMs);
  timer.unref();
  return {
    deaf: new Map(),
    get polled() {
      return polled.size;
    },
    watch(folders) {
      const wanted = new Set(folders.map(({ dir }) => dir));
      for (const dir of polled.keys()) if (!wanted.has(dir)) polled.delete(dir);
      for (const folder of folders) {
        if (polled.has(folder.dir)) continue;
        polled.set(folder.dir, {
          folder,
          signatures: signaturesOf(folder),
          changedAtMs: new Map(),
        });
        notifyFirst(folder, notify);
      }
    },
    looking(lookScope) {
      // Otherwise a change that was made, looked at and undone between two polls would leave no
      // trace.
      const nowMs = performance.now();
      for (const entry of polled.values()) {
        if (lookScope === 'all' || lookScope.has(entry.folder.dir)) updateSignatures(entry, nowMs);
      }
    },
    close() {
      clearInterval(timer);
      polled.clear();
    },
  };
}

function updateSignatures(entry: Polled, nowMs: number): void {
  const { signatures: before } = entry;
  entry.signatures = signaturesOf(entry.folder);
  for (const [name, signature] of entry.signatures) {
    if (signature !== before.get(name)) entry.changedAtMs.set(name, nowMs);
  }
}

function signaturesOf({ dir, names }: WatchedFolder): ReadonlyMap<string, string> {
  const found = identifyFolder(dir);
  const itself = found.state === 'present' ? found.id : found.state;
  if (names === null) return new Map([['', `${itself} ${entriesIn(dir)}`]]);
  return new Map([
    ['', itself],
    ...names.map((name) => [name, signatureAt(`${dir}/${name}`)] as const),
  ]);
}

function signatureAt(path: string): string {
  try {
    const found = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return 'absent';
    const { dev, ino, mode, size, mtimeNs, ctimeNs } = found;
    return `${dev} ${ino} ${mode} ${size} ${mtimeNs} ${ctimeNs}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}

function entriesIn(dir: string): string {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .map(
        (entry) => `${entry.name}/${entry.isDirectory() ? 'd' : entry.isSymbolicLink() ? 'l' : ''}`,
      )
      .sort()
      .join('/');
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
