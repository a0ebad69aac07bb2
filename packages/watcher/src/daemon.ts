/**
 * The watcher's wiring: what starts and stops, in which order.
 * Whoever tells others what stands (`push/`, `serve/`, `webhooks/`) is a `Room` that gets a `Context`.
 */
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { type DiskPort, nodeDisk } from '@fleet-estop/sentinel-core';
import { type FleetSettings, loadParser, type ProfileSettings } from '@fleet-estop/settings';
import { type Caps, capsFor, descriptorLimit } from './descriptors.ts';
import type { Log } from './log.ts';
import type { ObserveMode } from './observe/choose.ts';
import type { RejectedFile } from './observe/live-file.ts';
import { liveSettings } from './observe/live-settings.ts';
import { keptSeat, type Unseated } from './seat/kept-seat.ts';
import { takeSeat } from './seat/seat.ts';
import type { FleetEvent } from './state/event-log.ts';
import { readFleet } from './state/read-fleet.ts';
import { createStore, type Store } from './state/store.ts';
import { type FleetWatch, watchFleet } from './watch-fleet.ts';
import { sayableSettings } from './webhooks/sayable.ts';

export interface ConfigState {
  /** In force, whatever the file says right now. */
  readonly settings: FleetSettings;
  /** Files that were refused, and what is in force instead. */
  readonly rejected: readonly RejectedFile[];
}

export type Health = ReturnType<FleetWatch['health']> & {
  /** Why no gateway and no second watcher finds this one; null: they do. */
  readonly seatMissing: string | null;
};

/** What a room works with. */
export interface Context {
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
export type Room = (context: Context) => Promise<() => void | Promise<void>>;

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
  readonly rooms?: readonly Room[];
  /** Default: as this process's limit of descriptors says. */
  readonly caps?: Caps;
  readonly disk?: DiskPort;
}

export interface Watcher {
  readonly store: Store;
  readonly configState: () => ConfigState;
  readonly health: () => Health;
  /** Resolves when another process has the seat: then this one knows nothing that is worth telling. */
  readonly unseated: Promise<Unseated>;
  close(): Promise<void>;
}

export type { Unseated };

export type Started =
  | { readonly started: true; readonly watcher: Watcher }
  | { readonly started: false; readonly refusal: Unseated };

export async function startWatcher(options: WatcherOptions): Promise<Started> {
  const { root, log, rooms = [], disk = nodeDisk() } = options;
  // Before anybody connects: rather no start than settings that are never read.
  await loadParser();

  const turnAway = (socket: Socket): void => {
    socket.destroy();
  };
  let connected = turnAway;
  const seatTaken = await takeSeat(root, (socket) => connected(socket));
  if (!seatTaken.taken) return { started: false, refusal: seatTaken };
  const seat = keptSeat(seatTaken.seat, (why) =>
    log.error({ why }, 'the seat is gone and cannot be taken again yet'),
  );

  const { caps = capsFor(descriptorLimit()) } = options;
  const store = createStore(readFleet(disk, root));
  let use: FleetWatch['use'] = () => {};
  const followers: (() => void)[] = [];
  const settings = liveSettings(root, {
    rejected(file) {
      log.error(file, 'settings refused');
      const { path, problems, inForce } = file;
      store.record('config.rejected', 'config', { path, problems, in_force: inForce });
    },
    recovered: (path) => log.info({ path }, 'settings are good again'),
    changed(now) {
      log.info({ settings: sayableSettings(now) }, 'settings in force');
      use(inForce());
      for (const handler of followers) handler();
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
    swept: () => void seat.check(),
  });
  use = watch.use;
  const health = () => ({ ...watch.health(), seatMissing: seat.missing() });

  const configState = () => ({
    settings: settings.fleet(),
    // Of a thousand files, for whoever asks.
    get rejected() {
      return settings.rejected();
    },
  });
  const context: Context = {
    root,
    store,
    log,
    configState,
    onSettings: (handler) => void followers.push(handler),
    profileSettings: settings.profile,
    health,
    onConnection(handler) {
      connected = handler;
    },
    socketPath: seatTaken.seat.socketPath,
    caps,
    lookAgain: () => watch.lookAgain('all'),
  };
  const closers: (() => void | Promise<void>)[] = [];
  const closeAll = async () => {
    // Nobody new is let in; then who tells, who looks, and last the seat.
    connected = turnAway;
    for (const closeRoom of closers.reverse()) await closeRoom();
    watch.close();
    settings.close();
    seat.leave();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  try {
    for (const room of rooms) closers.push(await room(context));
    // After them: a thousand lanes are a thousand lines, and gateways come first.
    logEvents(store, log);
    seat.open();
  } catch (error) {
    await close();
    throw error;
  }
  const { observing } = health();
  log.info({ root, epoch: store.snapshot().epoch, ...inForce(), observing, caps }, 'watching');
  return {
    started: true,
    watcher: { store, configState, health, unseated: seat.unseated, close },
  };
}

const DEFAULT_SWEEP_MS = 5_000;

function logEvents(store: Store, log: Log): void {
  const say = ({ type, revision, subject, data }: FleetEvent) => {
    // Said by whoever notices them, and louder.
    const isSaid = type === 'config.rejected' || type === 'clock.stepped';
    if (!isSaid) log.info({ revision, subject, data }, type);
  };
  // What stood when we came, and what has happened since.
  store.log.recent(Number.POSITIVE_INFINITY).forEach(say);
  store.subscribe((_snapshot, events) => events.forEach(say));
}

/** A record for people; the environment is anybody's to set, and longer is no name. */
const userName = (): string =>
  (process.env.USER || process.env.LOGNAME || `uid ${process.getuid?.() ?? '?'}`).slice(0, 64);
