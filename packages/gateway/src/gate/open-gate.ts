/**
 * Opens a gate: which lanes it serves, who is told of changes, and in what order it ends.
 * What it answers for one lane is `lane.ts`; the words of it all are `gate.ts`.
 */
import { randomUUID } from 'node:crypto';
import { type DiskPort, FleetError, nodeDisk } from '@fleet-estop/sentinel-core';
import type { LinkStatus } from '../link/status.ts';
import { tellChanges } from './changes.ts';
import { followLanes, type LaneFollower, worstOf } from './follow-lanes.ts';
import type { Gate } from './gate.ts';
import {
  type FoundWork,
  type GateLog,
  type Lane,
  type LostReceipt,
  openLane,
  type UnrecordedWork,
} from './lane.ts';
import { selfLifts } from './self-lifts.ts';
import { servedLanes } from './served-lanes.ts';

export interface GateOptions {
  /** The home folder of each profile that this process serves; the root's own is the lane `default`. */
  readonly home: string | readonly string[];
  /**
   * The fleet that is meant: each home must be one of its own, also where it is mounted under another
   * path. Default: the one that the home lies in.
   */
  readonly root?: string;
  /** Name and version of the gateway, for people. */
  readonly software?: string;
  /** Fresh for every run of the process. Default: a random one. */
  readonly instance?: string;
  /**
   * Told once per engagement by each door that dispatches, of each hold that ended by itself, and of
   * work that hangs. Default: nobody is.
   */
  readonly log?: GateLog;
  readonly onLink?: (status: LinkStatus, root: string) => void;
  /** Once, until one can be written again. Default: a warning of the process. */
  readonly onReceiptLost?: (lost: LostReceipt) => void;
  /** Of each piece of work once. Default: a warning of the process. */
  readonly onUnrecorded?: (work: UnrecordedWork) => void;
  /** Before `openGate` returns, and later where another gateway of a home is killed. */
  readonly onFound?: (found: FoundWork) => void;
  /** No other process serves these homes: see `RegisterOptions` of the ledger. Default: no. */
  readonly alone?: boolean;
  /** After a lift, catch-up work of several gateways is spread over this long. Default: 10 s. */
  readonly resumeSpreadMs?: number;
  /** Bounds how late `onChange` tells a change whose notice was lost. Default: 5 s. */
  readonly sweepMs?: number;
  /** Keep the process alive until `close`. Default: yes. */
  readonly keepAlive?: boolean;
  /** false: no watcher hears of this gate. The disk is followed all the same. */
  readonly link?: false;
  /** Default: `<root>/.fleet/watcher.sock`. */
  readonly socketPath?: string;
  readonly disk?: DiskPort;
  readonly now?: () => number;
}

/**
 * Throws SCOPE_UNUSABLE for a home that is no folder, PROFILE_INVALID for one that is no lane or none
 * of `root`, ROOT_UNRECOGNIZED where nothing shows that there is a fleet, and what else `laneOf`
 * throws. What stands on disk is never thrown: it is answered.
 */
export function openGate(options: GateOptions): Gate {
  const { home, root: meant, software = 'unnamed', instance = randomUUID(), log } = options;
  const { onLink = () => {}, onReceiptLost = warnOfLostReceipt, socketPath } = options;
  const { onUnrecorded = warnOfUnrecorded, onFound = () => {}, alone = false } = options;
  const { resumeSpreadMs = 10_000, sweepMs = 5_000, keepAlive = true } = options;
  const { disk = nodeDisk(), link: toWatcher = true } = options;
  const { now = disk.now } = options;
  const followers: { readonly lanes: readonly Lane[]; readonly it: LaneFollower }[] = [];
  let announcing: NodeJS.Immediate | undefined;

  /** Many new doors at once are said once. */
  const onDoor = (): void => {
    announcing ??= setImmediate(() => {
      announcing = undefined;
      for (const { it } of followers) it.announce();
    });
  };

  const laneOptions = {
    disk,
    now,
    instance,
    software,
    alone,
    log,
    onReceiptLost,
    onUnrecorded,
    onFound,
    onDoor,
  };
  const served = servedLanes(typeof home === 'string' ? [home] : home, meant);
  const lanes = new Map(
    served.map((it): [string, Lane] => [it.profile, openLane(it, laneOptions)]),
  );
  const only = lanes.size === 1 ? [...lanes.values()][0] : undefined;
  const changes = tellChanges({ instance, resumeSpreadMs, now });
  const saySelfLifts = selfLifts(log);

  const laneOf = (profile: string | undefined): Lane => {
    const lane = profile === undefined ? only : lanes.get(profile);
    if (lane === undefined) throw unknownProfile(profile, [...lanes.keys()]);
    return lane;
  };
  const lanesOf = (profile: string | undefined): readonly Lane[] =>
    profile === undefined ? [...lanes.values()] : [laneOf(profile)];

  const statusIn = (wanted: readonly Lane[]): LinkStatus =>
    worstOf(
      followers
        .filter((follower) => follower.lanes.some((lane) => wanted.includes(lane)))
        .map(({ it }) => it.status()),
    );

  for (const { root, own, nth } of linksOf([...lanes.values()])) {
    const it = followLanes({
      root,
      chains: new Map(own.map(({ profile, chain }) => [profile, chain])),
      software,
      // To the watcher each link is a gateway of its own, of the same process.
      instance: nth === 0 ? instance : `${instance}.${nth}`,
      profiles: () => own.map((lane) => lane.figures()),
      onState(state) {
        const engagement = lanes.get(state.profile)?.see(state.scopes) ?? null;
        saySelfLifts(changes.tell(state, engagement));
      },
      onLink: (status) => onLink(status, root),
      toWatcher,
      socketPath,
      disk,
      now,
      sweepMs,
      keepAlive,
    });
    followers.push({ lanes: own, it });
  }

  return {
    profiles: [...lanes.keys()],
    admit: ({ door, principal, profile }) => laneOf(profile).admit(door, principal),
    ask: ({ door, principal, profile }) => laneOf(profile).ask(door, principal),
    dispatch: (door, profile) => laneOf(profile).dispatch(door),
    announce(door, profile) {
      for (const lane of lanesOf(profile)) lane.announce(door);
    },
    onChange: changes.listen,
    begin: (work) => laneOf(work.profile).begin(work),
    inFlight: (profile) => lanesOf(profile).reduce((sum, lane) => sum + lane.inFlight(), 0),
    link(profile) {
      return statusIn(lanesOf(profile));
    },
    close() {
      clearImmediate(announcing);
      for (const { it } of followers) it.close();
      for (const lane of lanes.values()) lane.close();
    },
  };
}

/** What a gateway says of itself must fit into one line of 64 KiB, with doors of a fair length. */
const LANES_OF_A_LINK = 256;

/** One for each fleet, and another one for every so many lanes of it. */
function linksOf(lanes: readonly Lane[]) {
  const roots = [...new Set(lanes.map(({ chain }) => chain.root))];
  return roots.flatMap((root) => {
    const all = lanes.filter(({ chain }) => chain.root === root);
    const links = Math.ceil(all.length / LANES_OF_A_LINK);
    return Array.from({ length: links }, (_, nth) => ({
      root,
      nth,
      own: all.slice(nth * LANES_OF_A_LINK, (nth + 1) * LANES_OF_A_LINK),
    }));
  });
}

function unknownProfile(profile: string | undefined, served: readonly string[]): FleetError {
  const hint = `it serves ${served.map((name) => `\`${name}\``).join(', ')}`;
  if (profile === undefined) {
    return new FleetError('PROFILE_UNKNOWN', 'a gate of several profiles must be told which', {
      hint: `name the profile: ${hint}`,
    });
  }
  return new FleetError('PROFILE_UNKNOWN', `this gate does not serve \`${profile}\``, { hint });
}

function warnOfLostReceipt({ profile, home, why }: LostReceipt): void {
  const message = `what is refused on \`${profile}\` cannot be recorded in \`${home}/.fleet\`: ${why}`;
  process.emitWarning(`${message}; it stays refused`, { code: 'FLEET_RECEIPT_LOST' });
}

function warnOfUnrecorded({ profile, door, id, why }: UnrecordedWork): void {
  const message = `work \`${id}\` of \`${door}\` on \`${profile}\` is not on record: ${why}`;
  process.emitWarning(`${message}; it goes on`, { code: 'FLEET_WORK_UNRECORDED' });
}
