/**
 * What draining came to, as JSON. The keys are part of the contract: docs/json.md describes each.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import type { Json } from '../text/json.ts';
import { servingJson } from '../watcher-client/gateways-text.ts';
import { missingJson } from '../watcher-client/wait-json.ts';
import type { DrainReport } from './await-drained.ts';
import { type DrainLook, isQuiet, type ProfileDrain } from './judge.ts';
import { outcomeOf } from './outcome.ts';
import { doorsOf } from './rows.ts';

/** Pieces of work that a document lists for one profile. */
const MAX_WORK = 50;

export function drainJson(report: DrainReport): Json {
  const { look, undone, excludesWedged, waitedMs, timeoutMs } = report;
  const { snapshot, silent } = look;
  return {
    outcome: outcomeOf(report),
    exclude_wedged: excludesWedged,
    waited_ms: Math.round(waitedMs),
    timeout_ms: timeoutMs,
    watcher: watcherJsonOf(look),
    undone,
    profiles: look.profiles.map(profileDrainJson),
    gateways: (snapshot?.serving ?? []).map(servingJson),
    silent: silent.map(servingJson),
    ...missingJson(snapshot),
  };
}

export const watcherJsonOf = ({ unreached, epoch }: DrainLook): Json => ({
  reached: unreached === null && epoch !== null,
  why: unreached,
  epoch,
});

export function profileDrainJson(one: ProfileDrain): Json {
  const { profile, work, unreadable, serving, unexplained } = one;
  return {
    profile,
    quiet: isQuiet(one),
    served: serving.length > 0,
    in_hand: unreadable.length > 0 ? null : work.length,
    wedged: work.filter(({ wedged }) => wedged).length,
    reported_only: unexplained,
    doors: doorsOf(work).map(({ door, count }) => ({ door, in_hand: count })),
    work: work.slice(0, MAX_WORK).map(workJson),
    unreadable: unreadable.map(({ path, why }) => ({ path, why })),
  };
}

const workJson = (work: WorkRecord): Json => ({
  door: work.door,
  id: work.id,
  principal: work.principal,
  conversation: work.conversation,
  since: work.since,
  progress_at: work.progressAt,
  stall_ms: work.stallMs,
  wedged: work.wedged,
  fate: work.fate,
  owner: work.owner,
  instance: work.instance,
  host: work.host,
  pid: work.pid,
});
