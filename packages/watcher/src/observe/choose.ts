/**
 * Chooses the change notifier for a mode and a platform.
 * They are the core's with `fs.watch` or with chokidar (`chokidar-folder.ts`), and `poll.ts`.
 */
import {
  type ChangeNotifier,
  fileSystemAt,
  type NoticeNotifier,
  type Notify,
  notifyByNotices,
  type OpenFolder,
  openPlainly,
} from '@fleet-estop/sentinel-core';
import { openWithChokidar } from './chokidar-folder.ts';
import { notifyByPolling, type PollOptions } from './poll.ts';

export const OBSERVE_MODES = ['auto', 'native', 'chokidar', 'poll'] as const;
export type ObserveMode = (typeof OBSERVE_MODES)[number];

/** Source of notices: `fs.watch` for scopes, or chokidar; null: none. */
export type Notices = 'native' | 'chokidar' | null;

/** Answers the name of a folder's file system if notices may not come there; null: they come. */
export type FindSilentFileSystem = (dir: string) => string | null;

export interface ChooseOptions extends PollOptions {
  readonly findSilentFileSystem?: FindSilentFileSystem;
}

/**
 * `native`: `fs.watch` for scopes, chokidar for the fleet's shape. `chokidar`: for both. `poll`:
 * neither. `auto`: native on Linux, chokidar elsewhere, and polling too where notices may not come.
 */
export function chooseNotifier(
  mode: ObserveMode,
  notify: Notify,
  { findSilentFileSystem = silentFileSystem, ...poll }: ChooseOptions = {},
): ChangeNotifier {
  switch (mode) {
    case 'native':
      return notifyByNotices(openNatively, notify);
    case 'chokidar':
      return notifyByNotices(openWithChokidar, notify);
    case 'poll':
      return notifyByPolling(notify, poll);
    case 'auto': {
      const open = noticesOf(mode) === 'native' ? openNatively : openWithChokidar;
      return withPolling(
        notifyByNotices(open, notify),
        notifyByPolling(notify, poll),
        findSilentFileSystem,
      );
    }
  }
}

/** The source of notices that a mode uses on this platform. */
export function noticesOf(mode: ObserveMode): Notices {
  if (mode === 'auto') return process.platform === 'linux' ? 'native' : 'chokidar';
  return mode === 'poll' ? null : mode;
}

/** A scope may be a busy home folder, which chokidar rereads at every change in it. */
const openNatively: OpenFolder = (folder, listener) =>
  folder.kind === 'scope' ? openPlainly(folder, listener) : openWithChokidar(folder, listener);

/** Uses notices everywhere, since they are faster, and polls where they may not come. */
function withPolling(
  notices: NoticeNotifier,
  polling: ChangeNotifier,
  findSilentFileSystem: FindSilentFileSystem,
): ChangeNotifier {
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
