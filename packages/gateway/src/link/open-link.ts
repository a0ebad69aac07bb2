/**
 * A gateway's link to the watcher: receives pushed states at once and acknowledges what is in force.
 * The disk is the authority: a push only triggers a read, and losing the watcher changes nothing about
 * what holds [8]. Reconnecting is `keep-connected.ts`.
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import {
  type Cut,
  type CutDone,
  encode,
  encodeGoodbye,
  type Feature,
  type Goodbye,
  HEARTBEAT_MS,
  PROTOCOL,
  STALE_AFTER_MS,
  type State,
} from '@fleet-estop/protocol';
import {
  type Chain,
  type DiskPort,
  nodeDisk,
  profileChain,
  requireRoot,
} from '@fleet-estop/sentinel-core';
import type { Backoff } from './backoff.ts';
import type { Connection } from './connection.ts';
import { heartbeats } from './heartbeats.ts';
import { keepConnected } from './keep-connected.ts';
import { ownName } from './own-name.ts';
import { ownProcess } from './own-process.ts';
import type { ProfileState } from './profile-state.ts';
import { isInForce } from './profile-state.ts';
import { safely } from './safely.ts';
import type { LinkedProfile, LinkStatus } from './status.ts';
import { watchProfiles } from './watch-profiles.ts';

export interface LinkOptions {
  /** The fleet's root folder. */
  readonly root: string;
  /** Name and version of the gateway, shown to people. */
  readonly software: string;
  /**
   * The served profiles with their current counts. Counts are read for every message; names only at
   * start and by `refresh`.
   */
  readonly profiles: () => readonly LinkedProfile[];
  /**
   * Called when the state of a profile has changed, deadlines included, and once for each profile before
   * `openLink` returns. It runs before the change is acknowledged: stop timers here, not later.
   */
  readonly onState: (state: ProfileState) => void;
  readonly onLink?: (status: LinkStatus) => void;
  /** The work of a profile is to be cut; resolves with what came of it. Default: not understood. */
  readonly onCut?: (cut: Cut) => Promise<CutDone>;
  /** Work that is left undone if this process ends, for the goodbye. Default: no goodbye is sent. */
  readonly undone?: () => Goodbye['cut'];
  /** Milliseconds over which its catch-up work is spread after a lift, for people. Default: not said. */
  readonly resumeSpreadMs?: number;
  /**
   * Name of this run of the process; must be new for every run. Default: a random one. If another link
   * of this process uses it, the watcher gets `<instance>.1` or the next free number; if another process
   * uses it, `<instance>-<8 random hex digits>`.
   */
  readonly instance?: string;
  /** Default: `<root>/.fleet/watcher.sock`. */
  readonly socketPath?: string;
  /** The chain of a profile. Default: `profileChain`, which throws for an invalid name. */
  readonly chainOf?: (profile: string) => Chain;
  readonly disk?: DiskPort;
  /** Milliseconds after which a change is seen even if its notification was lost. Default: 5,000. */
  readonly sweepMs?: number;
  /** Keeps the process alive until `close`. Default: true. */
  readonly keepAlive?: boolean;
  readonly heartbeatMs?: number;
  readonly staleAfterMs?: number;
  readonly retry?: Backoff;
  readonly now?: () => number;
}

export interface Link {
  /** State at the newest read; undefined if not served. For display: an admission reads the disk itself. */
  state(profile: string): ProfileState | undefined;
  status(): LinkStatus;
  /** Folders without change notifications, with the errno. A change there is seen within `sweepMs`. */
  deaf(): ReadonlyMap<string, string>;
  /** Reads the list of profiles again, and retries a refused link. */
  refresh(): void;
  /** Sends the hello again, because doors have changed. */
  announce(): void;
  close(): void;
}

/** The longest `instance` that the watcher accepts, in characters. */
const LONGEST_NAME = 256;

/**
 * Opens a link. Throws PROFILE_INVALID for an invalid name and, without `chainOf`, what `requireRoot`
 * throws for a folder that is no root. The content of the disk and the watcher never make it throw.
 */
export function openLink(options: LinkOptions): Link {
  const { software, profiles, onState, onLink = () => {}, instance = randomUUID() } = options;
  const { disk = nodeDisk(), sweepMs = 5_000, keepAlive = true, now = Date.now } = options;
  const { heartbeatMs = HEARTBEAT_MS, staleAfterMs = STALE_AFTER_MS, retry = {} } = options;
  const root = resolve(options.root);
  const { socketPath = join(root, '.fleet', 'watcher.sock') } = options;
  const { chainOf = (profile: string) => profileChain(root, profile) } = options;
  if (options.chainOf === undefined) requireRoot(root, 'root');

  /** The newest pushed state of each profile that is not acknowledged yet. */
  const pushed = new Map<string, State>();
  const numbers = heartbeats();
  let lookDue = false;

  const chainsNow = (): Map<string, Chain> =>
    // Under the name that the author gave, which is also sent to the watcher.
    new Map(profiles().map(({ name }) => [name, { ...chainOf(name), profile: name }]));

  const acknowledge = (states: readonly ProfileState[]): void => {
    const due = states.flatMap((current) => {
      const state = pushed.get(current.profile);
      return state !== undefined && isInForce(state, current) ? [state] : [];
    });
    if (due.length === 0) return;
    const inHand = new Map((safely(profiles) ?? []).map((p) => [p.name, p.in_flight]));
    for (const { epoch, revision, profile } of due) {
      const in_flight = inHand.get(profile);
      if (in_flight === undefined) continue;
      pushed.delete(profile);
      watcher.acknowledge({ type: 'ack', epoch, revision, profile, in_flight });
    }
  };

  const watch = watchProfiles({
    disk,
    sweepMs,
    keepAlive,
    now,
    changed: (state) => void safely(() => onState(state)),
    looked: acknowledge,
  });

  /** Several pushed states in one tick cause one read. */
  const lookSoon = (): void => {
    if (lookDue) return;
    lookDue = true;
    queueMicrotask(() => {
      lookDue = false;
      watch.lookAt([...pushed.keys()]);
    });
  };

  const sendHello = (connection: Connection): void => {
    numbers.forget();
    const known = safely(profiles);
    if (known === undefined) return;
    const served = known
      .filter(({ name }) => watch.state(name) !== undefined)
      .map(({ name, doors, in_flight }) => ({ name, doors, in_flight }));
    const { pid } = process;
    const itself = { ...thisProcess, ...understood, ...spread };
    const who = { instance: own.name, secret, pid, software, ...itself };
    const hello = { type: 'hello', protocol: PROTOCOL, ...who } as const;
    const whole = { ...hello, profiles: served };
    // Doors are for display and can be left out; profiles cannot.
    const bare = { ...hello, profiles: served.map((profile) => ({ ...profile, doors: [] })) };
    connection.send(fits(whole) ? whole : bare);
  };

  watch.use(chainsNow());
  // Proves to the watcher that a second hello with this name is ours.
  const secret = randomBytes(32).toString('base64url');
  const thisProcess = ownProcess();
  const { onCut, undone } = options;
  const understood = featuresOf(options);
  const spread = spreadOf(options);
  let own = ownName(socketPath, instance);
  const watcher = keepConnected({
    path: socketPath,
    keepAlive,
    heartbeatMs,
    staleAfterMs,
    retry,
    sendHello,
    beat(connection) {
      const known = safely(profiles);
      if (known !== undefined) numbers.send(known, connection.offer);
    },
    heard(message) {
      if (message.type === 'cut') {
        if (onCut !== undefined) void onCut(message).then(watcher.answer);
        return;
      }
      if (message.type !== 'state' || watch.state(message.profile) === undefined) return;
      pushed.set(message.profile, message);
      lookSoon();
    },
    nameTaken() {
      own.release();
      const suffix = randomUUID().slice(0, 8);
      own = ownName(socketPath, `${instance.slice(0, LONGEST_NAME - 16)}-${suffix}`);
    },
    lost: () => pushed.clear(),
    status: (status) => void safely(() => onLink(status)),
  });

  return {
    state: watch.state,
    status: watcher.status,
    deaf: watch.deaf,
    refresh() {
      const chains = chainsNow();
      for (const profile of pushed.keys()) if (!chains.has(profile)) pushed.delete(profile);
      watch.use(chains);
      watcher.tryAgain();
    },
    announce: watcher.sendHelloAgain,
    close() {
      watch.close();
      const left = undone && safely(undone);
      watcher.close(left && encodeGoodbye(left));
      own.release();
    },
  };
}

function featuresOf({ onCut, undone }: LinkOptions): { features?: readonly Feature[] } {
  const known: Feature[] = [];
  if (onCut !== undefined) known.push('cut');
  if (undone !== undefined) known.push('goodbye');
  return known.length === 0 ? {} : { features: known };
}

/** Only what the other end accepts: a whole number. */
function spreadOf({ resumeSpreadMs }: LinkOptions): { resume_spread_ms?: number } {
  const spread = Math.ceil(resumeSpreadMs ?? -1);
  return Number.isSafeInteger(spread) && spread >= 0 ? { resume_spread_ms: spread } : {};
}

function fits(message: Parameters<typeof encode>[0]): boolean {
  try {
    encode(message);
    return true;
  } catch {
    return false;
  }
}
