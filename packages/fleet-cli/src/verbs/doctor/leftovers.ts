/**
 * Finds what killed operations left in a scope: a tenure, staging files, and folders that were moved aside.
 * Removing it is `repair.ts`.
 */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import {
  check,
  codeOrText,
  type DiskPort,
  meansAbsent,
  ODD,
  type Scope,
  STAGING,
  TENURE,
} from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

/** `isYoung`: its owner may be alive, on this host or another. */
export interface Leftover {
  readonly scope: Scope;
  readonly path: string;
  readonly kind: 'tenure' | 'staging' | 'odd';
  readonly isYoung: boolean;
}

/** The prefix of all files that operations create. */
const OURS = '.ESTOP.';
/** An operation takes milliseconds. What is still there after this time was left behind. */
const PASSING_MS = 250;

export async function examineLeftovers({ scopes, disk }: ExaminedFleet): Promise<Finding[]> {
  const found = scopes.flatMap((scope) => leftoversIn(disk, scope));
  const findings: Finding[] = [];
  const young = found.filter((one) => 'isYoung' in one && one.isYoung);
  if (young.length > 0) await new Promise((resolve) => setTimeout(resolve, PASSING_MS));
  for (const one of found) {
    if ('check' in one) findings.push(one);
    else if (!one.isYoung || stands(one.path)) findings.push(describe(disk, one));
  }
  if (findings.length > 0) return findings;
  const what = `no operation left anything half-done in ${counted(scopes.length, 'scope')}`;
  return [{ level: 'ok', check: 'leftovers', what }];
}

/** Returns a finding instead if the scope cannot be listed. */
export function leftoversIn(disk: DiskPort, scope: Scope): (Leftover | Finding)[] {
  const { dir } = scope;
  let names: string[];
  try {
    names = disk.staged(dir, OURS);
  } catch (error) {
    const why = codeOrText(error);
    if (meansAbsent(why)) return [];
    const what = `leftovers of operations cannot be listed here (${why})`;
    return [{ level: 'problem', check: 'leftovers', what, where: dir, unexamined: true }];
  }
  return names.sort().flatMap((name): Leftover[] => {
    const path = join(dir, name);
    if (name === TENURE)
      return [{ scope, path, kind: 'tenure', isYoung: isHeldByLiving(disk, path) }];
    if (name.startsWith(ODD)) return [{ scope, path, kind: 'odd', isYoung: false }];
    if (!name.startsWith(STAGING)) return [];
    const isYoung = !disk.stale(path, name.slice(STAGING.length), 0);
    return [{ scope, path, kind: 'staging', isYoung }];
  });
}

/** Whether an owner may be alive. An owner on another host counts as alive. */
function isHeldByLiving(disk: DiskPort, tenure: string): boolean {
  try {
    return disk.readdir(tenure).some((token) => !disk.stale(join(tenure, token), token, 0));
  } catch {
    // It is gone, or it is not a folder, which has no owner.
    return false;
  }
}

const stands = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function describe(disk: DiskPort, { scope, path, kind, isYoung }: Leftover): Finding {
  const about = { check: 'leftovers', where: path } as const;
  if (kind === 'odd') {
    const what = 'a folder that was in the place of a sentinel was moved aside, with its content';
    const todo = 'look at its content, and remove it yourself: fleet never removes it';
    return { ...about, level: 'warning', what, todo };
  }
  const owner = isYoung ? 'an owner that may be alive' : 'a dead owner';
  const todo = isYoung ? 'look again; if it stays, fleet doctor --fix' : 'fleet doctor --fix';
  if (kind === 'staging') {
    return { ...about, level: 'warning', what: `staging of ${owner}, which holds nothing`, todo };
  }
  const { dir } = scope;
  const seen = check(disk, dir);
  if (seen.engaged && seen.aside) {
    const what = `a tenure of ${owner}, with a hold in it that other tools cannot see`;
    return { ...about, level: 'problem', what, todo };
  }
  const what = `a tenure of ${owner}, which makes every check and every change slower`;
  return { ...about, level: isYoung ? 'warning' : 'problem', what, todo };
}
