/**
 * Observes folders without notices: looks at the signatures of the entries that matter from time to
 * time. For file systems whose changes are made elsewhere.
 */
import { lstatSync, readdirSync } from 'node:fs';
import { identityOf } from './identity.ts';
import { type Folder, firstRing, type Ring, type SentinelObserver } from './observer.ts';

export interface PollOptions {
  readonly intervalMs?: number;
}

interface Polled {
  readonly folder: Folder;
  /** By name; '' is the folder itself. */
  signatures: ReadonlyMap<string, string>;
  /** What differed the last time: rings once more. */
  fresh: readonly string[];
}

export function observeByPolling(
  ring: Ring,
  { intervalMs = 1_000 }: PollOptions = {},
): SentinelObserver {
  const polled = new Map<string, Polled>();

  const poll = () => {
    for (const entry of polled.values()) {
      // Once more after every change: a file system's clock stands still for milliseconds, and a
      // second change within one of its ticks can leave the same signature.
      const again = entry.fresh;
      entry.fresh = [];
      takeSignatures(entry);
      for (const name of new Set([...entry.fresh, ...again])) {
        ring(entry.folder.dir, name === '' ? null : name);
      }
    }
  };

  const timer = setInterval(poll, intervalMs);
  timer.unref();
  return {
    deaf: new Map(),
    watch(folders) {
      const wanted = new Set(folders.map(({ dir }) => dir));
      for (const dir of polled.keys()) if (!wanted.has(dir)) polled.delete(dir);
      for (const folder of folders) {
        if (polled.has(folder.dir)) continue;
        polled.set(folder.dir, { folder, signatures: signaturesOf(folder), fresh: [] });
        firstRing(folder, ring);
      }
    },
    looking(glance) {
      // Or a change that was made, looked at and undone between two polls would leave no trace.
      for (const entry of polled.values()) {
        if (glance === 'all' || glance.has(entry.folder.dir)) takeSignatures(entry);
      }
    },
    close() {
      clearInterval(timer);
      polled.clear();
    },
  };
}

function takeSignatures(entry: Polled): void {
  const { signatures: before } = entry;
  entry.signatures = signaturesOf(entry.folder);
  const differ = [...entry.signatures.keys()].filter(
    (name) => entry.signatures.get(name) !== before.get(name),
  );
  entry.fresh = [...new Set([...entry.fresh, ...differ])];
}

function signaturesOf({ dir, names }: Folder): ReadonlyMap<string, string> {
  const found = identityOf(dir);
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
