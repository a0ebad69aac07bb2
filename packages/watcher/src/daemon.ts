/**
 * The watcher's wiring: what starts and stops, in which order.
 * Whoever tells others what stands (`push/`, `serve/`, `webhooks/`) is a `Room` that gets a `Context`.
 */
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { type DiskPort, nodeDisk } from '@fleet-estop/sentinel-core';
import { type FleetSettings, loadParser, type ProfileSettings } from '@fleet-estop/settings';
import { type Caps, capsFor, descriptorLimit } from './descriptors.ts';
import { takeInstanceLock } from './instance/instance-lock.ts';
import { type LockUnavailable, lockKeeper } from './instance/lock-keeper.ts';
import type { Log } from './log.ts';
import type { ObserveMode } from './observe/choose.ts';
import type { RejectedFile } from './observe/live-file.ts';
import { liveSettings } from './observe/live-settings.ts';
import type { FleetEvent } from './state/event-log.ts';
import { readFleet } from './state/read-fleet.ts';
import { createStore, type Store } from './state/store.ts';
import { type FleetWatch, watchFleet } from './watch-fleet.ts';
import { redactedSettings } from './webhooks/redaction.ts';

export interface ConfigState {
  /** In force, whatever the file says right now. */
  readonly settings: FleetSettings;
  /** Files that were refused, and what is in force instead. */
  readonly rejected: readonly RejectedFile[];
}

export type Health = ReturnType<FleetWatch['health']> & {
  /** Why no gateway and no second watcher finds this one; null: they do. */
  readonly lockMissing: string | null;
};

/** What a room works with. */
export interface ServiceContext {
  readonly root: string;
  readonly store: Store;
  readonly log: Log;
  readonly configState: () => ConfigState;
  /** Each time when other settings of the fleet are in force. */
  readonly onSettings: (handler: () => void) => void;
  readonly profileSettings: (name: string) => ProfileSettings | null;
  readonly health: () => Health;
  /** The watcher's unix socket is open already; from now on, this takes whoever connects. */
  readonly onConnection: (handler: (socket: Socket) => void) => void;
  /** Where that socket stands once every room has started. */
  readonly socketPath: string;
  /** How many connections leave enough descriptors for reading the fleet. */
  readonly caps: Caps;
  /** Everything, soon: a gateway serves other profiles, or somebody wrote through us. */
  readonly lookAgain: () => void;
}

/** Starts, and answers how to stop. Should reject only for what the whole watcher should not start. */
export type Service = (context: ServiceContext) => Promise<() => void | Promise<void>>;

export interface WatcherOptions {
  /** A real path. */
  readonly root: string;
  readonly log: Log;
  /** Overrules `fleet.yaml`. */
  readonly observe?: ObserveMode | undefined;
  /** Overrules `fleet.yaml`. */
  readonly sweepMs?: number | undefined;
  readonly pollMs?: number;
  readonly graceMs?: number;
  readonly rooms?: readonly Service[];
  /** Default: as this process's limit of descriptors says. */
  readonly caps?: Caps;
  readonly disk?: DiskPort;
}

export interface Watcher {
  readonly store: Store;
  readonly configState: () => ConfigState;
  readonly health: () => Health;
  /** Resolves when another process has the seat: then this one knows nothing that is worth telling. */
  readonly lockLost: Promise<LockUnavailable>;
  close(): Promise<void>;
}

export type { LockUnavailable };

export type Started =
  | { readonly started: true; readonly watcher: Watcher }
  | { readonly started: false; readonly failure: LockUnavailable };

export async function startWatcher(options: WatcherOptions): Promise<Started> {
  const { root, log, rooms: services = [], disk = nodeDisk() } = options;
  // Before anybody connects: rather no start than settings that are never read.
  await loadParser();

  const rejectConnection = (socket: Socket): void => {
    socket.destroy();
  };
  let onConnection = rejectConnection;
  const attempt = await takeInstanceLock(root, (socket) => onConnection(socket));
  if (!attempt.acquired) return { started: false, failure: attempt };
  const lock = lockKeeper(attempt.instanceLock, (why) =>
    log.error({ why }, 'the seat is gone and cannot be taken again yet'),
  );

  const { caps = capsFor(descriptorLimit()) } = options;
  const store = createStore(readFleet(disk, root));
  let applySettings: FleetWatch['use'] = () => {};
  const settingsHandlers: (() => void)[] = [];
  const settings = liveSettings(root, {
    rejected(file) {
      log.error(file, 'settings refused');
      const { path, problems, inForce } = file;
      store.record('config.rejected', 'config', { path, problems, in_force: inForce });
    },
    recovered: (path) => log.info({ path }, 'settings are good again'),
    changed(now) {
      log.info({ settings: redactedSettings(now) }, 'settings in force');
      applySettings(inForce());
      for (const handler of settingsHandlers) handler();
    },
  });
  const inForce = () => ({
    mode: options.observe ?? settings.fleet().observe ?? 'auto',
    sweepMs: options.sweepMs ?? settings.fleet().watcher?.sweep?.ms ?? DEFAULT_SWEEP_MS,
  });
  await settings.refresh([]);

  const watch = watchFleet({
    ...inForce(),
    ...(options.pollMs === undefined ? {} : { intervalMs: options.pollMs }),
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
    disk,
    store,
    log,
    actor: { user: userName(), host: hostname(), pid: process.pid, via: 'fleet-watcher' },
    refreshSettings: (homes) => void settings.refresh(homes),
    swept: () => void lock.check(),
  });
  applySettings = watch.use;
  const health = () => ({ ...watch.health(), lockMissing: lock.missing() });

  const configState = () => ({
    settings: settings.fleet(),
    // Of a thousand files, for whoever asks.
    get rejected() {
      return settings.rejected();
    },
  });
  const context: ServiceContext = {
    root,
    store,
    log,
    configState,
    onSettings: (handler) => void settingsHandlers.push(handler),
    profileSettings: settings.profile,
    health,
    onConnection(handler) {
      onConnection = handler;
    },
    socketPath: attempt.instanceLock.socketPath,
    caps,
    lookAgain: () => watch.lookAgain('all'),
  };
  const closers: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    // Nobody new is let in; then who tells, who looks, and last the seat.
    onConnection = rejectConnection;
    for (const closeService of closers.reverse()) await closeService();
    watch.close();
    settings.close();
    lock.leave();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  try {
    for (const service of services) closers.push(await service(context));
    // After them: a thousand lanes are a thousand lines, and gateways come first.
    logEvents(store, log);
    lock.open();
  } catch (error) {
    await close();
    throw error;
  }
  const { observing } = health();
  log.info({ root, epoch: store.snapshot().epoch, ...inForce(), observing, caps }, 'watching');
  return {
    started: true,
    watcher: { store, configState, health, lockLost: lock.lockLost, close },
  };
}

const DEFAULT_SWEEP_MS = 5_000;

function logEvents(store: Store, log: Log): void {
  const logEvent = ({ type, revision, subject, data }: FleetEvent) => {
    // Said by whoever notices them, and louder.
    const isLoggedElsewhere = type === 'config.rejected' || type === 'clock.stepped';
    if (!isLoggedElsewhere) log.info({ revision, subject, data }, type);
  };
  // What stood when we came, and what has happened since.
  store.log.recent(Number.POSITIVE_INFINITY).forEach(logEvent);
  store.subscribe((_snapshot, events) => events.forEach(logEvent));
}

/** A record for people; the environment is anybody's to set, and longer is no name. */
const userName = (): string =>
  (process.env.USER || process.env.LOGNAME || `uid ${process.getuid?.() ?? '?'}`).slice(0, 64);
