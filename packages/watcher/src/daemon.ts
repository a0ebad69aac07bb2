/**
 * The wiring of the watcher: what starts and stops, and in which order.
 * The parts that publish the state (`push/`, `serve/`, `webhooks/`) are `Service`s; each gets a
 * `ServiceContext`.
 */

import type { Socket } from 'node:net';
import { actorOf, type DiskPort, nodeDisk, userName } from '@fleet-estop/sentinel-core';
import { type FleetSettings, loadParser, type ProfileSettings } from '@fleet-estop/settings';
import { type Caps, capsFor, descriptorLimit } from './descriptors.ts';
import type { LockUnavailable } from './instance/contention.ts';
import { takeInstanceLock } from './instance/instance-lock.ts';
import type { Log } from './log.ts';
import type { ObserveMode } from './observe/choose.ts';
import type { RejectedFile } from './observe/live-file.ts';
import { liveSettings } from './observe/live-settings.ts';
import type { Gateways } from './push/gateways.ts';
import { restartDebt } from './restart-debt.ts';
import type { FleetEvent } from './state/event-log.ts';
import { readFleet } from './state/read-fleet.ts';
import { createStore, type Store } from './state/store.ts';
import { type FleetWatch, watchFleet } from './watch-fleet.ts';
import { redactedSettings } from './webhooks/redaction.ts';

export interface ConfigState {
  /** The settings in force, which may differ from the file's content. */
  readonly settings: FleetSettings;
  /** Rejected files, and what is in force instead. */
  readonly rejected: readonly RejectedFile[];
}

export type Health = ReturnType<FleetWatch['health']> & {
  /** Why neither gateways nor a second watcher can find this one; null: they can. */
  readonly lockMissing: string | null;
};

/** What a service gets from the daemon. */
export interface ServiceContext {
  readonly root: string;
  readonly store: Store;
  readonly log: Log;
  readonly configState: () => ConfigState;
  /** Calls the handler whenever the fleet's settings in force change. */
  readonly onSettings: (handler: () => void) => void;
  readonly profileSettings: (name: string) => ProfileSettings | null;
  readonly health: () => Health;
  /** The watcher's unix socket is already open; from now on this handler gets its connections. */
  readonly onConnection: (handler: (socket: Socket) => void) => void;
  /** From now on this handler has the gateways of a profile cut its work. */
  readonly onCut: (handler: Gateways['cut']) => void;
  /** Answers an empty list while nothing pushes to gateways. */
  readonly cut: Gateways['cut'];
  /** Path of that socket once every service has started. */
  readonly socketPath: string;
  /** Connection limits that leave enough descriptors for reading the fleet. */
  readonly caps: Caps;
  /** Reads everything soon: a gateway serves other profiles, or somebody wrote through us. */
  readonly lookAgain: () => void;
}

/**
 * Starts a service and answers how to stop it. Rejects only if the whole watcher should not start.
 */
export type Service = (context: ServiceContext) => Promise<() => void | Promise<void>>;

export interface WatcherOptions {
  /** A real path. */
  readonly root: string;
  readonly log: Log;
  /** Overrides `fleet.yaml`. */
  readonly observe?: ObserveMode | undefined;
  /** Overrides `fleet.yaml`. */
  readonly sweepMs?: number | undefined;
  readonly pollMs?: number;
  readonly graceMs?: number;
  /** How long after the start gateways of an earlier watcher may still be connecting. */
  readonly startingMs?: number;
  readonly services?: readonly Service[];
  /** Default: derived from this process's descriptor limit. */
  readonly caps?: Caps;
  readonly disk?: DiskPort;
}

export interface Watcher {
  readonly store: Store;
  readonly configState: () => ConfigState;
  readonly health: () => Health;
  /** Resolves when another process owns the lock: from then on this one's state is worthless. */
  readonly lockLost: Promise<LockUnavailable>;
  close(): Promise<void>;
}

export type { LockUnavailable };

export type Started =
  | { readonly started: true; readonly watcher: Watcher }
  | { readonly started: false; readonly failure: LockUnavailable };

export async function startWatcher(options: WatcherOptions): Promise<Started> {
  const { root, log, services = [], disk = nodeDisk(), startingMs = STARTING_MS } = options;
  // Before anybody connects: do not start at all if settings cannot be read.
  await loadParser();

  const rejectConnection = (socket: Socket): void => {
    socket.destroy();
  };
  let onConnection = rejectConnection;
  let cut: Gateways['cut'] = async () => [];
  const attempt = await takeInstanceLock(
    root,
    (socket) => onConnection(socket),
    (why) => log.error({ why }, 'the instance lock is lost and cannot be retaken yet'),
  );
  if (!attempt.acquired) return { started: false, failure: attempt };
  const lock = attempt.instanceLock;

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
    recovered: (path) => log.info({ path }, 'settings are valid again'),
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

  const actor = actorOf('fleet-watcher', userName());
  const settleRestarts = restartDebt({ disk, store, log, actor });
  const watch = watchFleet({
    ...inForce(),
    ...(options.pollMs === undefined ? {} : { intervalMs: options.pollMs }),
    ...(options.graceMs === undefined ? {} : { graceMs: options.graceMs }),
    disk,
    store,
    log,
    actor,
    refreshSettings: (homes) => void settings.refresh(homes),
    swept() {
      void lock.check();
      settleRestarts();
    },
  });
  applySettings = watch.use;
  const health = () => ({ ...watch.health(), lockMissing: lock.missing() });

  const configState = () => ({
    settings: settings.fleet(),
    // A getter, since it walks a thousand files.
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
    onCut(handler) {
      cut = handler;
    },
    cut: (...asked) => cut(...asked),
    socketPath: lock.socketPath,
    caps,
    lookAgain: () => watch.lookAgain('all'),
  };
  let starting: NodeJS.Timeout | undefined;
  const closers: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    // Refuse new connections first; then stop services, then looking, and last leave the lock.
    onConnection = rejectConnection;
    clearTimeout(starting);
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
    // After the services: a thousand profiles make a thousand lines, and gateways come first.
    logEvents(store, log);
    settleRestarts();
    lock.open();
    if (startingMs === 0) store.started();
    else starting = setTimeout(() => store.started(), startingMs).unref();
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
/** A gateway waits at most 5 s before it connects again; then it has to send its hello. */
const STARTING_MS = 6_000;

function logEvents(store: Store, log: Log): void {
  const logEvent = ({ type, revision, subject, data }: FleetEvent) => {
    // The part that notices these logs them at a higher level.
    const isLoggedElsewhere = type === 'config.rejected' || type === 'clock.stepped';
    if (!isLoggedElsewhere) log.info({ revision, subject, data }, type);
  };
  // First what stood at the start, then what has happened since.
  store.log.recent(Number.POSITIVE_INFINITY).forEach(logEvent);
  store.subscribe((_snapshot, events) => events.forEach(logEvent));
}
