/**
 * The gate of one profile: decides from the disk, counts refusals and writes their receipts.
 * Which profiles a gate serves, and who is notified of changes, is `open-gate.ts`.
 */
import {
  openReceipts,
  openRegister,
  type PredecessorWork,
  takeCleanShutdown,
  type Unrecorded,
  type WorkRecord,
  writeCleanShutdown,
} from '@fleet-estop/ledger';
import type { DiskPort, ScopeState } from '@fleet-estop/sentinel-core';
import { signalsOf } from '../in-hand/signals.ts';
import { safely } from '../link/safely.ts';
import type { LinkedProfile } from '../link/status.ts';
import { heldScopes, refusal, refusedByFailure } from './admission.ts';
import { engagementLog } from './engagement-log.ts';
import type { Admission, Admitted, Door, Refused, Work, WorkInHand } from './gate.ts';
import type { GateLog } from './gate-log.ts';
import { homeCheck } from './home-check.ts';
import { outages } from './outages.ts';
import type { ResumeLimit } from './resume-rate.ts';
import type { ServedHome } from './served-homes.ts';
import { skippedWork } from './skipped-work.ts';

/** A receipt that could not be written. The refusal still counts. */
export interface LostReceipt {
  readonly profile: string;
  readonly home: string;
  /** An errno, or a short description. */
  readonly why: string;
}

/** Work in hand that could not be recorded. It continues. */
export interface UnrecordedWork extends Unrecorded {
  readonly profile: string;
}

/** Work that gone gateways of this profile left: cut off with them, or still running in a worker. */
export interface FoundWork extends PredecessorWork {
  readonly profile: string;
  /**
   * The last gateway of this home as far as it is known: `clean` if it closed on purpose and left nothing
   * undone, false if work of it was cut off. null: unknown, or found later than at the start.
   */
  readonly previous: { readonly instance: string | null; readonly clean: boolean } | null;
}

export interface ProfileGateOptions {
  readonly disk: DiskPort;
  readonly now: () => number;
  readonly instance: string;
  readonly log: GateLog | undefined;
  readonly limit: ResumeLimit;
  readonly onReceiptLost: (lost: LostReceipt) => void;
  readonly software: string;
  readonly alone: boolean;
  readonly onUnrecorded: (work: UnrecordedWork) => void;
  readonly onFound: (found: FoundWork) => void;
  /** Called after each end of own work. */
  readonly onEnd: () => void;
  /** Called for each new door. */
  readonly onDoor: () => void;
}

export interface ProfileGate extends ServedHome {
  admit(door: Door, principal: unknown): Admission;
  ask(door: Door, principal: unknown): Admission;
  dispatch(door: Door): boolean;
  startsInMs(): number;
  returnStart(): void;
  recordSkipped(door: Door, holds: readonly string[]): void;
  announce(door: Door): void;
  begin(work: Work): WorkInHand | null;
  adopted(work: Pick<Work, 'door' | 'id'>): WorkInHand | null;
  inFlight(): number;
  /** Own and adopted work. */
  work(): readonly WorkRecord[];
  /** Aborts the signals of this work. */
  cut(work: WorkRecord, why: string): void;
  /** Takes a new read of the scopes. Returns the current engagement; null if nothing holds. */
  see(scopes: readonly ScopeState[]): string | null;
  /** What the watcher is sent about this profile. */
  figures(): LinkedProfile;
  /** Work of this process that is in hand now, and is left undone if the process ends. */
  undone(): readonly WorkRecord[];
  close(): void;
}

/** Limits of the watcher for one profile. Doors beyond them work, but the watcher does not list them. */
const MAX_DOORS = 64;
const MAX_DOOR_NAME = 256;

export function openProfileGate(served: ServedHome, options: ProfileGateOptions): ProfileGate {
  const { disk, now, instance, software, alone, log, limit } = options;
  const { onReceiptLost, onUnrecorded, onFound, onDoor, onEnd } = options;
  const { profile, home } = served;
  const { scopes } = served.chain;
  const whyGone = homeCheck(served, disk);
  const admitted: Admitted = Object.freeze({ admitted: true, profile });
  const receipts = openReceipts(home, { instance, now });
  const register = openRegister(home, {
    instance,
    software,
    alone,
    onUnrecorded: (work) => onUnrecorded({ ...work, profile }),
    onFound: (found) => onFound({ ...found, profile, previous: null }),
    now,
  });
  const { found } = register;
  const previous = previousOf(takeCleanShutdown(home), found);
  if (previous !== null || found.adopted.length > 0) {
    safely(() => onFound({ ...found, profile, previous }));
  }
  const signals = signalsOf(profile, onEnd);
  const pauses = engagementLog(profile, log);
  const ofScopes = outages();
  /** Separate from `ofScopes`: the home is not checked while a scope is held. */
  const ofHome = outages();
  const doors = new Set<string>();
  const schedulers = new Set<string>();
  const skips = skippedWork({ profile, log, now, list: () => register.list().work });
  let refused = 0;
  let isLosing = false;

  /** A worker can outlive this process. */
  const undone = () => register.held().filter(({ pid }) => pid === process.pid);

  const announce = (door: Door): void => {
    if (doors.has(door)) return;
    if (doors.size >= MAX_DOORS || door.length === 0 || door.length > MAX_DOOR_NAME) return;
    doors.add(door);
    onDoor();
  };

  const refusalOf = (door: Door, principal: unknown, states: readonly ScopeState[]) =>
    refusal(profile, door, nameOf(principal), states, { nowMs: now(), outages: ofScopes });

  const failed = (door: Door, error: unknown): Refused =>
    refusedByFailure(profile, door, error, ofHome.see([home]).get(home));

  const ask = (door: Door, principal: unknown): Admission => {
    announce(door);
    try {
      const held = heldScopes(disk, scopes);
      // Here too: a scheduler can ask before the lift was noticed.
      limit.see(profile, held !== null);
      if (held === null) ofScopes.see([]);
      const refused = held && refusalOf(door, principal, held);
      if (refused !== null) return refused;
      const gone = whyGone();
      if (gone !== null) return failed(door, gone);
      ofHome.see([]);
      return admitted;
    } catch (error) {
      return failed(door, error);
    }
  };

  const leaveReceipt = (
    door: Door,
    principal: unknown,
    holds: readonly string[],
    skipped?: true,
  ): void => {
    if (!skipped) refused += 1;
    const receipt = { door, principal: nameOf(principal), profile, holds };
    const left = receipts.write(skipped ? { ...receipt, skipped } : receipt);
    const isNews = !left.written && !isLosing;
    isLosing = !left.written;
    if (isNews) safely(() => onReceiptLost({ profile, home, why: left.why }));
  };

  return {
    ...served,
    announce,
    ask,
    admit(door, principal) {
      const answer = ask(door, principal);
      if (answer.admitted) return answer;
      leaveReceipt(
        door,
        principal,
        answer.holds.map(({ id }) => id),
      );
      return answer;
    },
    dispatch(door) {
      if (schedulers.size < MAX_DOORS) schedulers.add(door);
      const answer = ask(door, null);
      pauses.see(answer.admitted ? null : answer);
      pauses.log(door, answer.admitted ? null : answer.engagement);
      return answer.admitted && limit.take(profile);
    },
    startsInMs: () => limit.waitMs(profile),
    returnStart: () => limit.giveBack(profile),
    recordSkipped: (door, holds) => leaveReceipt(door, null, holds, true),
    begin({ profile: _, ...work }) {
      const { door, id } = work;
      const begun = register.begin(work);
      announce(door);
      // A scheduler has no user to answer "busy", so a skip is logged instead.
      if (schedulers.has(door)) skips.record({ door, id }, begun !== null);
      return begun === null ? null : signals.of(work, begun);
    },
    adopted(work) {
      const claim = register.adopted(work);
      return claim === null ? null : signals.of(work, claim);
    },
    work: register.held,
    cut({ door, id }, why) {
      if (door !== null && id !== null) signals.cut({ door, id }, why);
    },
    undone,
    inFlight: register.count,
    see(states) {
      limit.see(
        profile,
        states.some(({ check }) => check.engaged),
      );
      const answer = refusalOf('dispatch', null, states);
      pauses.see(answer);
      return answer?.engagement ?? null;
    },
    figures: () => ({ name: profile, doors: [...doors], in_flight: register.count(), refused }),
    close() {
      if (undone().length === 0) writeCleanShutdown(home, instance);
      receipts.close();
      register.close();
    },
  };
}

function previousOf(clean: string | null, { cutOff }: PredecessorWork): FoundWork['previous'] {
  if (clean !== null) return { instance: clean, clean: true };
  const [first] = cutOff;
  return first === undefined ? null : { instance: first.instance, clean: false };
}

/** Only text can name a principal: JavaScript callers can pass anything. */
const nameOf = (principal: unknown): string | null =>
  typeof principal === 'string' ? principal : null;
