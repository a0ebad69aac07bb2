/**
 * What operations leave in a scope that were killed half-way: a tenure, staging, and folders that were
 * set aside. Ending what a dead owner began is `repair.ts`.
 */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { check, type DiskPort, ODD, type Scope, STAGING, TENURE } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import { type ExaminedFleet, errnoOf, type Finding } from './finding.ts';

/** `young`: its owner may be alive, on this host or another. */
export interface Leftover {
  readonly scope: Scope;
  readonly path: string;
  readonly kind: 'tenure' | 'staging' | 'odd';
  readonly isYoung: boolean;
}

/** What an operation leaves begins with this. */
const OURS = '.ESTOP.';
/** An operation takes milliseconds. What is still there after this is not just passing. */
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

/** A finding in place of a scope that cannot be looked into. */
export function leftoversIn(disk: DiskPort, scope: Scope): (Leftover | Finding)[] {
  const { dir } = scope;
  let names: string[];
  try {
    names = disk.staged(dir, OURS);
  } catch (error) {
    const why = errnoOf(error);
    if (why === 'ENOENT' || why === 'ENOTDIR') return [];
    const what = `what operations left here cannot be told (${why})`;
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

/** Nobody is known to be dead who is not: another host's owner counts as living. */
function isHeldByLiving(disk: DiskPort, tenure: string): boolean {
  try {
    return disk.readdir(tenure).some((token) => !disk.stale(join(tenure, token), token, 0));
  } catch {
    // Gone meanwhile, or no folder at all, which nobody holds.
    return false;
  }
}

const stands = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

function describe(disk: DiskPort, { scope, path, kind, isYoung }: Leftover): Finding {
  const about = { check: 'leftovers', where: path } as const;
  if (kind === 'odd') {
    const what = 'a folder that stood in the place of a sentinel was set aside, with what is in it';
    const todo = 'look at what it holds, and remove it yourself: nothing here does';
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
