/**
 * Opens a gate: resolves the profiles, starts following their state, and closes everything in order.
 * The answers for one profile are `profile.ts`; the types are `gate.ts`.
 */
import { randomUUID } from 'node:crypto';
import { type DiskPort, nodeDisk } from '@fleet-estop/sentinel-core';
import { cutting } from '../in-hand/cutting.ts';
import { drains } from '../in-hand/drains.ts';
import { idleWaits } from '../in-hand/idle.ts';
import { whenIdle } from '../in-hand/when-idle.ts';
import type { LinkStatus } from '../link/status.ts';
import { gateChanges } from './changes.ts';
import { expiryLog } from './expiry-log.ts';
import { followProfiles, type ProfileFollower, worstOf } from './follow-profiles.ts';
import type { Gate } from './gate.ts';
import type { GateLog } from './gate-log.ts';
import { markChildren } from './mark-children.ts';
import {
  type FoundWork,
  type LostReceipt,
  openProfileGate,
  type ProfileGate,
  type UnrecordedWork,
} from './profile.ts';
import { type ResumeRate, resumeLimit } from './resume-rate.ts';
import { servedHomes, unknownProfile } from './served-homes.ts';

export interface GateOptions {
  /** Home folder of each profile that this process serves; the root folder is the profile `default`. */
  readonly home: string | readonly string[];
  /**
   * Root of the fleet that is meant. Each home must belong to it, also if the home is mounted under
   * another path. Default: the fleet that contains the home.
   */
  readonly root?: string;
  /** Name and version of the gateway, shown to people. Default: `unnamed`. */
  readonly software?: string;
  /** Name of this run of the process; must be new for every run. Default: a random one. */
  readonly instance?: string;
  /**
   * Receives one line per engagement from each scheduler door, one for each hold that expired, and one
   * for work that is skipped because its last run hangs. Default: no log.
   */
  readonly log?: GateLog;
  readonly onLink?: (status: LinkStatus, root: string) => void;
  /** Called once per outage, until a receipt can be written again. Default: a process warning. */
  readonly onReceiptLost?: (lost: LostReceipt) => void;
  /** Called once for each piece of work that cannot be recorded. Default: a process warning. */
  readonly onUnrecorded?: (work: UnrecordedWork) => void;
  /**
   * Called before `openGate` returns, for each home of which the last run is known, and later if another
   * gateway of a home is killed.
   */
  readonly onFound?: (found: FoundWork) => void;
  /** true: no other process serves these homes; see `RegisterOptions` of the ledger. Default: false. */
  readonly alone?: boolean;
  /**
   * false: leave the environment alone. Default: children of this process inherit FLEET_INSIDE_GATEWAY,
   * by which commands that would end this gateway refuse.
   */
  readonly markChildren?: false;
  /** Milliseconds over which catch-up work of several gateways is spread after a lift. Default: 10,000. */
  readonly resumeSpreadMs?: number;
  /**
   * Limits what `dispatch` and the scheduler doors start for a while after a lift that this gate saw.
   * Default: no limit.
   */
  readonly resumeRate?: ResumeRate;
  /** Milliseconds after which `onChange` has seen a change, even if its notification was lost. Default: 5,000. */
  readonly sweepMs?: number;
  /** Keeps the process alive until `close`. Default: true. */
  readonly keepAlive?: boolean;
  /** false: do not connect to a watcher. The disk is followed in any case. */
  readonly link?: false;
  /** Default: `<root>/.fleet/watcher.sock`. */
  readonly socketPath?: string;
  readonly disk?: DiskPort;
  readonly now?: () => number;
}

/**
 * Opens a gate. Throws SCOPE_UNUSABLE for a home that is not a folder, PROFILE_INVALID for one that is not
 * a profile or not a profile of `root`, ROOT_UNRECOGNIZED if the home lies in no recognizable fleet,
 * VALUE_INVALID for a bad `resumeRate`, and what else `chainOfHome` of the core throws. Holds and unreadable sentinels never make it throw.
 */
export function openGate(options: GateOptions): Gate {
  const { home, root: meant, software = 'unnamed', instance = randomUUID(), log } = options;
  const { onLink = () => {}, onReceiptLost = warnOfLostReceipt, socketPath } = options;
  const { onUnrecorded = warnOfUnrecorded, onFound = () => {}, alone = false } = options;
  const { resumeSpreadMs = 10_000, sweepMs = 5_000, keepAlive = true } = options;
  const { disk = nodeDisk(), link: toWatcher = true } = options;
  const { now = disk.now } = options;
  const followers: { readonly gates: readonly ProfileGate[]; readonly it: ProfileFollower }[] = [];
  let announcing: NodeJS.Immediate | undefined;

  /** Several new doors in one tick are announced together. */
  const onDoor = (): void => {
    announcing ??= setImmediate(() => {
      announcing = undefined;
      for (const { it } of followers) it.announce();
    });
  };

  const gateOptions = {
    disk,
    now,
    instance,
    software,
    alone,
    log,
    limit: resumeLimit(options.resumeRate),
    onReceiptLost,
    onUnrecorded,
    onFound,
    onEnd: () => idle.ask(),
    onDoor,
  };
  const idle = idleWaits({ keepAlive });
  const unmark = options.markChildren === false ? () => {} : markChildren(instance);
  const served = servedHomes(typeof home === 'string' ? [home] : home, meant);
  const gates = new Map(
    served.map((it): [string, ProfileGate] => [it.profile, openProfileGate(it, gateOptions)]),
  );
  const only = gates.size === 1 ? [...gates.values()][0] : undefined;
  const drain = drains({
    left: (profile) => gateOf(profile).inFlight(),
    work: (profile) => gateOf(profile).work(),
    idle,
  });
  const cuts = cutting({
    work: (profile) => gates.get(profile)?.work() ?? null,
    left: (profile) => gates.get(profile)?.inFlight() ?? 0,
    abort: (profile, work, why) => gates.get(profile)?.cut(work, why),
  });
  const idleWaiters = new Set<() => void>();
  let isClosed = false;
  const changes = gateChanges({ instance, resumeSpreadMs, now, log });
  const logExpiries = expiryLog(log);

  const gateOf = (profile: string | undefined): ProfileGate => {
    const profileGate = profile === undefined ? only : gates.get(profile);
    if (profileGate === undefined) throw unknownProfile(profile, [...gates.keys()]);
    return profileGate;
  };
  const gatesOf = (profile: string | undefined): readonly ProfileGate[] =>
    profile === undefined ? [...gates.values()] : [gateOf(profile)];

  const statusIn = (wanted: readonly ProfileGate[]): LinkStatus =>
    worstOf(
      followers
        .filter((follower) => follower.gates.some((profileGate) => wanted.includes(profileGate)))
        .map(({ it }) => it.status()),
    );

  for (const { root, own, nth } of linksOf([...gates.values()])) {
    const it = followProfiles({
      root,
      chains: new Map(own.map(({ profile, chain }) => [profile, chain])),
      software,
      // The watcher sees each link as a separate gateway of the same process.
      instance: nth === 0 ? instance : `${instance}.${nth}`,
      profiles: () => own.map((profileGate) => profileGate.figures()),
      onState(state) {
        const engagement = gates.get(state.profile)?.see(state.scopes) ?? null;
        logExpiries(changes.publish(state, engagement));
        drain.see(state.profile, state.engaged);
      },
      onLink: (status) => onLink(status, root),
      onCut: cuts.cut,
      undone: () => own.flatMap((profileGate) => undoneOf(profileGate)),
      resumeSpreadMs,
      toWatcher,
      socketPath,
      disk,
      now,
      sweepMs,
      keepAlive,
    });
    followers.push({ gates: own, it });
  }

  return {
    profiles: [...gates.keys()],
    ...(log === undefined ? {} : { log }),
    admit: ({ door, principal, profile }) => gateOf(profile).admit(door, principal),
    ask: ({ door, principal, profile }) => gateOf(profile).ask(door, principal),
    dispatch: (door, profile) => gateOf(profile).dispatch(door),
    startsInMs: (profile) => gateOf(profile).startsInMs(),
    returnStart: (profile) => gateOf(profile).returnStart(),
    recordSkipped: (door, holds, profile) => gateOf(profile).recordSkipped(door, holds),
    announce(door, profile) {
      for (const profileGate of gatesOf(profile)) profileGate.announce(door);
    },
    onChange: changes.listen,
    begin: (work) => gateOf(work.profile).begin(work),
    adopted: (work) => gateOf(work.profile).adopted(work),
    inFlight: (profile) =>
      gatesOf(profile).reduce((sum, profileGate) => sum + profileGate.inFlight(), 0),
    onIdle: ({ timeoutMs, profile } = {}) =>
      whenIdle({ gates: gatesOf(profile), timeoutMs, idle, closers: idleWaiters, isClosed }),
    onDrain: drain.listen,
    onNotice: cuts.listen,
    link(profile) {
      return statusIn(gatesOf(profile));
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      unmark();
      clearImmediate(announcing);
      for (const finish of [...idleWaiters]) finish();
      idle.close();
      for (const { it } of followers) it.close();
      for (const profileGate of gates.values()) profileGate.close();
    },
  };
}

const undoneOf = (profileGate: ProfileGate) =>
  profileGate
    .undone()
    .map(({ door, id }) => ({ profile: profileGate.profile, door: door ?? '', id: id ?? '' }));

/** A hello must fit into one line of 64 KiB, with door names of usual length. */
const PROFILES_PER_LINK = 256;

/** Splits the gates by fleet, and those of one fleet into groups of PROFILES_PER_LINK. */
function linksOf(gates: readonly ProfileGate[]) {
  const roots = [...new Set(gates.map(({ chain }) => chain.root))];
  return roots.flatMap((root) => {
    const all = gates.filter(({ chain }) => chain.root === root);
    const links = Math.ceil(all.length / PROFILES_PER_LINK);
    return Array.from({ length: links }, (_, nth) => ({
      root,
      nth,
      own: all.slice(nth * PROFILES_PER_LINK, (nth + 1) * PROFILES_PER_LINK),
    }));
  });
}

function warnOfLostReceipt({ profile, home, why }: LostReceipt): void {
  const message = `cannot record refusals of \`${profile}\` in \`${home}/.fleet\`: ${why}`;
  process.emitWarning(`${message}; the work stays refused`, { code: 'FLEET_RECEIPT_LOST' });
}

function warnOfUnrecorded({ profile, door, id, why }: UnrecordedWork): void {
  const message = `cannot record work \`${id}\` of \`${door}\` on \`${profile}\`: ${why}`;
  process.emitWarning(`${message}; the work continues`, { code: 'FLEET_WORK_UNRECORDED' });
}
