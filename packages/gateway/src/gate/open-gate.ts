/**
 * Opens a gate: which gates it serves, who is told of changes, and in what order it ends.
 * What it answers for one profileGate is `profileGate.ts`; the words of it all are `gate.ts`.
 */
import { randomUUID } from 'node:crypto';
import { type DiskPort, FleetError, nodeDisk } from '@fleet-estop/sentinel-core';
import type { LinkStatus } from '../link/status.ts';
import { gateChanges } from './changes.ts';
import { expiryLog } from './expiry-log.ts';
import { followProfiles, type ProfileFollower, worstOf } from './follow-profiles.ts';
import type { Gate } from './gate.ts';
import {
  type FoundWork,
  type GateLog,
  type LostReceipt,
  openProfileGate,
  type ProfileGate,
  type UnrecordedWork,
} from './profile.ts';
import { servedHomes } from './served-homes.ts';

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
 * Throws SCOPE_UNUSABLE for a home that is no folder, PROFILE_INVALID for one that is no profileGate or none
 * of `root`, ROOT_UNRECOGNIZED where nothing shows that there is a fleet, and what else `gateOf`
 * throws. What stands on disk is never thrown: it is answered.
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

  /** Many new doors at once are said once. */
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
    onReceiptLost,
    onUnrecorded,
    onFound,
    onDoor,
  };
  const served = servedHomes(typeof home === 'string' ? [home] : home, meant);
  const gates = new Map(
    served.map((it): [string, ProfileGate] => [it.profile, openProfileGate(it, gateOptions)]),
  );
  const only = gates.size === 1 ? [...gates.values()][0] : undefined;
  const changes = gateChanges({ instance, resumeSpreadMs, now });
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
      // To the watcher each link is a gateway of its own, of the same process.
      instance: nth === 0 ? instance : `${instance}.${nth}`,
      profiles: () => own.map((profileGate) => profileGate.figures()),
      onState(state) {
        const engagement = gates.get(state.profile)?.see(state.scopes) ?? null;
        logExpiries(changes.publish(state, engagement));
      },
      onLink: (status) => onLink(status, root),
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
    admit: ({ door, principal, profile }) => gateOf(profile).admit(door, principal),
    ask: ({ door, principal, profile }) => gateOf(profile).ask(door, principal),
    dispatch: (door, profile) => gateOf(profile).dispatch(door),
    announce(door, profile) {
      for (const profileGate of gatesOf(profile)) profileGate.announce(door);
    },
    onChange: changes.listen,
    begin: (work) => gateOf(work.profile).begin(work),
    inFlight: (profile) =>
      gatesOf(profile).reduce((sum, profileGate) => sum + profileGate.inFlight(), 0),
    link(profile) {
      return statusIn(gatesOf(profile));
    },
    close() {
      clearImmediate(announcing);
      for (const { it } of followers) it.close();
      for (const profileGate of gates.values()) profileGate.close();
    },
  };
}

/** What a gateway says of itself must fit into one line of 64 KiB, with doors of a fair length. */
const PROFILES_PER_LINK = 256;

/** One for each fleet, and another one for every so many gates of it. */
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
