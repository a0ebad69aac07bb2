/**
 * Chooses the observer for a mode and a platform.
 * The observers are `notices.ts` and `poll.ts`.
 */
import { fileSystemAt } from '@fleet-estop/sentinel-core';
import { openWithChokidar } from './chokidar-folder.ts';
import { type NoticeObserver, type OpenFolder, observeByNotices } from './notices.ts';
import type { Notify, Observing, SentinelObserver } from './observer.ts';
import { openPlainly } from './plain-folder.ts';
import { observeByPolling, type PollOptions } from './poll.ts';

export const OBSERVE_MODES = ['auto', 'native', 'chokidar', 'poll'] as const;
export type ObserveMode = (typeof OBSERVE_MODES)[number];

/** Answers the name of a folder's file system if notices may not come there; null: they come. */
export type FindSilentFileSystem = (dir: string) => string | null;

export interface ChooseOptions extends PollOptions {
  readonly findSilentFileSystem?: FindSilentFileSystem;
}

/**
 * `native`: `fs.watch` for scopes, chokidar for the fleet's shape. `chokidar`: for both. `poll`:
 * neither. `auto`: native on Linux, chokidar elsewhere, and polling too where notices may not come.
 */
export function chooseObserver(
  mode: ObserveMode,
  notify: Notify,
  { findSilentFileSystem = silentFileSystem, ...poll }: ChooseOptions = {},
): SentinelObserver {
  switch (mode) {
    case 'native':
      return observeByNotices(openNatively, notify);
    case 'chokidar':
      return observeByNotices(openWithChokidar, notify);
    case 'poll':
      return observeByPolling(notify, poll);
    case 'auto': {
      const open = noticesOf(mode) === 'native' ? openNatively : openWithChokidar;
      return withPolling(
        observeByNotices(open, notify),
        observeByPolling(notify, poll),
        findSilentFileSystem,
      );
    }
  }
}

/** The source of notices that a mode uses on this platform. */
export function noticesOf(mode: ObserveMode): Observing['notices'] {
  if (mode === 'auto') return process.platform === 'linux' ? 'native' : 'chokidar';
  return mode === 'poll' ? null : mode;
}

/** A scope may be a busy home folder, which chokidar rereads at every change in it. */
const openNatively: OpenFolder = (folder, listener) =>
  folder.kind === 'scope' ? openPlainly(folder, listener) : openWithChokidar(folder, listener);

/** Uses notices everywhere, since they are faster, and polls where they may not come. */
function withPolling(
  notices: NoticeObserver,
  polling: SentinelObserver,
  findSilentFileSystem: FindSilentFileSystem,
): SentinelObserver {
  let polled: ReadonlySet<string> = new Set();
  return {
    get deaf() {
      return new Map([...notices.deaf].filter(([dir]) => !polled.has(dir)));
    },
    get polled() {
      return polled.size;
    },
    watch(folders) {
      notices.watch(folders);
      const asked = new Map<bigint, boolean>();
      const silent = folders.filter(({ dir }) => {
        const device = notices.deviceOf(dir);
        if (device === null) return false;
        const known = asked.get(device) ?? findSilentFileSystem(dir) !== null;
        asked.set(device, known);
        return known;
      });
      polled = new Set(silent.map(({ dir }) => dir));
      polling.watch(silent);
    },
    looking: (lookScope) => polling.looking(lookScope),
    close() {
      notices.close();
      polling.close();
    },
  };
}

/** Name of the file system if notices may not come; null: they do, or it is unknown. */
export function silentFileSystem(dir: string): string | null {
  try {
    const { known } = fileSystemAt(dir);
    return known?.kind === 'network' || known?.kind === 'union' ? known.name : null;
  } catch {
    return null;
  }
}
