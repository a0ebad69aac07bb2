/**
 * A gateway's link to the watcher: it is told at once, and says what is in force at its doors.
 * The disk is the authority throughout: the watcher's word only makes us look, and losing it changes
 * nothing about what holds [8].
 */
import { randomBytes, randomUUID } from 'node:crypto';
import { join, resolve } from 'node:path';
import {
  type Chain,
  type DiskPort,
  nodeDisk,
  profileChain,
  requireRoot,
} from '@fleet-estop/sentinel-core';
import { encode, HEARTBEAT_MS, PROTOCOL, STALE_AFTER_MS, type State } from '@fleet-estop/wire';
import type { Backoff } from './backoff.ts';
import type { Connection } from './connection.ts';
import { heartbeats } from './heartbeats.ts';
import { isInForce } from './in-force.ts';
import { keepConnected } from './keep-connected.ts';
import { ownName } from './own-name.ts';
import type { ProfileState } from './profile-state.ts';
import { safely } from './safely.ts';
import type { LinkedProfile, LinkStatus } from './status.ts';
import { watchProfiles } from './watch-profiles.ts';

export interface LinkOptions {
  /** The fleet's root folder. */
  readonly root: string;
  /** Name and version of the gateway, for people. */
  readonly software: string;
  /** What is served, and how much work is in hand right now. Names are read at start and by `refresh`. */
  readonly profiles: () => readonly LinkedProfile[];
  /**
   * What holds a profile has changed, deadlines included; of each profile first before `openLink`
   * returns. It is called before the change is acknowledged: stop timers here, not later.
   */
  readonly onState: (state: ProfileState) => void;
  readonly onLink?: (status: LinkStatus) => void;
  /**
   * Fresh for every run of the process. Default: a random one. Where another link of this process
   * has it, the watcher is told `<instance>.1`, or the next number that is free. Where another process
   * has it, it says `<instance>-<8 random digits>`.
   */
  readonly instance?: string;
  /** Default: `<root>/.fleet/watcher.sock`. */
  readonly socketPath?: string;
  /** The scopes that bind a profile. Default: `profileChain`, which throws for what is no name. */
  readonly chainOf?: (profile: string) => Chain;
  readonly disk?: DiskPort;
  /** Bounds how late a change is seen whose notice was lost. Default: 5 s. */
  readonly sweepMs?: number;
  /** Keep the process alive until `close`. Default: yes. */
  readonly keepAlive?: boolean;
  readonly heartbeatMs?: number;
  readonly staleAfterMs?: number;
  readonly retry?: Backoff;
  readonly now?: () => number;
}

export interface Link {
  /** As the disk said at the newest look; undefined: not served. Admission looks for itself. */
  state(profile: string): ProfileState | undefined;
  status(): LinkStatus;
  /** Folders without notices, with the errno: a change there is seen late, within the sweep. */
  deaf(): ReadonlyMap<string, string>;
  /** The profiles are others than before, or a refused link is to be tried again. */
  refresh(): void;
  /** Says again what is served: their doors are others than before. */
  announce(): void;
  close(): void;
}

/** Characters that the watcher takes for an `instance`. */
const LONGEST_NAME = 256;

/**
 * Throws PROFILE_INVALID for a name that is none and, without `chainOf`, what `requireRoot` throws for
 * a root that is none. Throws nothing for what holds there, or for what the watcher says.
 */
export function openLink(options: LinkOptions): Link {
  const { software, profiles, onState, onLink = () => {}, instance = randomUUID() } = options;
  const { disk = nodeDisk(), sweepMs = 5_000, keepAlive = true, now = Date.now } = options;
  const { heartbeatMs = HEARTBEAT_MS, staleAfterMs = STALE_AFTER_MS, retry = {} } = options;
  const root = resolve(options.root);
  const { socketPath = join(root, '.fleet', 'watcher.sock') } = options;
  const { chainOf = (profile: string) => profileChain(root, profile) } = options;
  if (options.chainOf === undefined) requireRoot(root, 'root');

  /** The newest that was pushed of each profile, until it is acknowledged. */
  const pushed = new Map<string, State>();
  const numbers = heartbeats();
  let lookDue = false;

  const chainsNow = (): Map<string, Chain> =>
    // By the name that was given, which is what the watcher is told.
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

  /** Many states at once are one look. */
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
    const who = { instance: own.name, secret, pid, software };
    const hello = { type: 'hello', protocol: PROTOCOL, ...who } as const;
    const whole = { ...hello, profiles: served };
    // Which doors there are is for people; which profiles there are is not.
    const bare = { ...hello, profiles: served.map((profile) => ({ ...profile, doors: [] })) };
    connection.send(fits(whole) ? whole : bare);
  };

  watch.use(chainsNow());
  // Ours alone: whoever says this name without it is not believed to be us.
  const secret = randomBytes(32).toString('base64url');
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
      watcher.close();
      own.release();
    },
  };
}

function fits(message: Parameters<typeof encode>[0]): boolean {
  try {
    encode(message);
    return true;
  } catch {
    return false;
  }
}
