/**
 * Examines whether this host's clock is right, because deadlines depend on it.
 */

import { lstatSync } from 'node:fs';
import { CLOCK_TOLERANCE_MS, check, journalPath, stepSince } from '@fleet-estop/sentinel-core';
import { sentinelOf } from '../../fleet/state.ts';
import { bothTimes, instantOf, span } from '../../text/time.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

/** Earlier years are wrong. A host without a battery-backed clock starts in 1970 or so. */
const FIRST_YEAR = 2024;
/** Synchronised clocks differ by less. */
const AHEAD_MS = 5 * 60_000;
const STEP_TODO = 'see that the clock is right; give the hold another deadline with `fleet extend`';
const TODO = 'compare the clocks of this host and of the one that wrote it';

export function examineClock({ root, scopes, disk, nowMs }: ExaminedFleet): Finding[] {
  const findings: Finding[] = [];
  if (new Date(nowMs).getUTCFullYear() < FIRST_YEAR) {
    findings.push({
      level: 'problem',
      check: 'clock',
      what: `the clock of this host says ${bothTimes(nowMs)}: no deadline can be believed`,
      todo: 'set the clock',
    });
  }
  for (const scope of scopes) {
    const path = sentinelOf(scope);
    const seen = check(disk, scope.dir);
    const holds = seen.engaged ? seen.holds : [];
    const starts = holds.flatMap(({ engagedAt }) => instantOf(engagedAt) ?? []);
    const ahead = Math.max(...starts.map((at) => at - nowMs));
    if (ahead > AHEAD_MS) {
      const what = `a hold starts ${span(ahead)} in the future, so its age and its deadline are doubtful`;
      findings.push({ level: 'warning', check: 'clock', what, where: path, todo: TODO });
    }
    findings.push(
      ...holds.flatMap((hold) => examineSteps(path, stepSince(hold, disk.now(), disk))),
    );
    findings.push(...examineFile(path, nowMs));
  }
  findings.push(...examineFile(journalPath(root.root), nowMs));
  if (findings.length > 0) return findings;
  const what = `the clock of this host says ${bothTimes(nowMs)}, and no file or hold here is newer`;
  return [{ level: 'ok', check: 'clock', what }];
}

/** Steps of the clock since a hold's deadline was set, measured by the uptime. */
function examineSteps(path: string, stepMs: number | null): Finding[] {
  if (stepMs === null || Math.abs(stepMs) <= CLOCK_TOLERANCE_MS) return [];
  const way = stepMs > 0 ? 'forward' : 'back';
  const end = stepMs > 0 ? 'it ends when the time that it had left has passed' : 'it ends late';
  const what = `since the deadline of a hold was set, the clock of this host was moved ${bySeconds(stepMs)} ${way}: ${end}`;
  return [{ level: 'warning', check: 'clock', what, where: path, todo: STEP_TODO }];
}

/** The uptime is coarse, so a step is rounded: one hour must not read as 59 minutes. */
const bySeconds = (ms: number): string => span(Math.round(Math.abs(ms) / 1_000) * 1_000);

function examineFile(path: string, nowMs: number): Finding[] {
  let mtimeMs: number | undefined;
  try {
    mtimeMs = lstatSync(path, { throwIfNoEntry: false })?.mtimeMs;
  } catch {
    // Another examination reports that it cannot be read.
  }
  if (mtimeMs === undefined || mtimeMs - nowMs <= AHEAD_MS) return [];
  const what = `the file was written ${span(mtimeMs - nowMs)} in the future`;
  return [{ level: 'warning', check: 'clock', what, where: path, todo: TODO }];
}
