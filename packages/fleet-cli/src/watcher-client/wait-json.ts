/**
 * What a wait for gateways came to, as JSON. The keys are part of the contract: docs/json.md describes each.
 */
import type { Json } from '../text/json.ts';
import type { AckSnapshot } from './ack-snapshot.ts';
import type { WaitReport } from './await-acknowledged.ts';
import { servingJson } from './gateways-text.ts';
import { outcomeOf } from './wait-outcome.ts';

export function waitJson(report: WaitReport): Json {
  const { snapshot, epoch, unreached, undone, waitedMs, timeoutMs } = report;
  return {
    outcome: outcomeOf(report),
    waited_ms: Math.round(waitedMs),
    timeout_ms: timeoutMs,
    watcher: { reached: unreached === null && epoch !== null, why: unreached, epoch },
    undone,
    gateways: (snapshot?.serving ?? []).map((entry) => ({
      ...servingJson(entry),
      after_ms: entry.afterMs === null ? null : Math.round(entry.afterMs),
      resume_spread_ms: entry.resumeSpreadMs,
    })),
    ...missingJson(snapshot),
  };
}

/** Who is or may be missing; without a snapshot nothing is known. */
export const missingJson = (snapshot: AckSnapshot | null): { [key: string]: Json } => ({
  absent: (snapshot?.absent ?? []).map(({ profile }) => profile),
  unserved: snapshot?.unserved ?? [],
  unshown: snapshot?.unshown ?? [],
  outsiders: (snapshot?.outsiders ?? []).map(servingJson),
  profiles_unknown: snapshot?.unlisted ?? null,
  gateways_unknown: snapshot === null || snapshot.mayMissGateways || snapshot.departed.length > 0,
});
