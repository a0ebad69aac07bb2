/**
 * Finds the fleet's root, and lists every place that is searched for it, in order.
 */

import { realpathSync, statSync } from 'node:fs';
import {
  codeOrText,
  FleetError,
  type RootChoice,
  resolveRoot,
  SENTINEL,
} from '@fleet-estop/sentinel-core';
import { shellOption } from '../../text/visible.ts';
import type { Finding } from './finding.ts';

export interface Candidate {
  readonly source: RootChoice['source'];
  /** null: not set, or no home folder to look in. */
  readonly path: string | null;
  /** `folder`, `not-a-folder`, `missing`, `unset`, or an errno code. */
  readonly state: string;
  readonly chosen: boolean;
}

export interface RootSearch {
  /** null: there is no root, and `findings` says why. */
  readonly root: RootChoice | null;
  /** The named folder exists, but nothing in it shows that it is a fleet. */
  readonly isUnrecognized: boolean;
  readonly candidates: readonly Candidate[];
  readonly findings: readonly Finding[];
}

export function searchRoot(
  flag: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): RootSearch {
  const userHome = env['HOME'] || null;
  const places: readonly (readonly [RootChoice['source'], string | null])[] = [
    ['--root', flag ?? null],
    ['FLEET_ROOT', env['FLEET_ROOT'] || null],
    ['HERMES_HOME', env['HERMES_HOME'] || null],
    ['~/.hermes', userHome === null ? null : `${userHome}/.hermes`],
    ['~/.fleet', userHome === null ? null : `${userHome}/.fleet`],
  ];
  const findings: Finding[] = [];
  let root: RootChoice | null = null;
  let isUnrecognized = false;
  try {
    root = resolveRoot({ flag, env, userHome });
    findings.push({
      level: 'ok',
      check: 'root',
      what: `the fleet is this folder, by ${root.source}`,
      where: root.root,
    });
    findings.push(...numberOf(root.root));
  } catch (error) {
    if (!(error instanceof FleetError)) throw error;
    isUnrecognized = error.code === 'ROOT_UNRECOGNIZED';
    const isUnknown = isUnrecognized || error.code === 'SCOPE_UNUSABLE';
    const unexamined = isUnknown ? { unexamined: true as const } : {};
    findings.push({
      level: 'problem',
      check: 'root',
      what: error.message,
      todo: error.hint,
      ...unexamined,
    });
  }
  const candidates = places.map(([source, path]) => ({
    source,
    path,
    state: path === null ? 'unset' : stateOf(path),
    chosen: source === root?.source,
  }));
  findings.push(...rivalsOf(root, candidates));
  return { root, isUnrecognized, candidates, findings };
}

/**
 * A container may have its own copy of the folder instead of the folder, and nothing in the copy shows it:
 * a hold that is placed elsewhere never arrives there. The two have different numbers.
 */
function numberOf(root: string): Finding[] {
  const stats = statSync(root, { bigint: true, throwIfNoEntry: false });
  if (stats === undefined) return [];
  const number = `${stats.dev}:${stats.ino}`;
  const what = `its number is ${number} (\`stat -c %d:%i\`): on this host it is the same in every container that mounts this folder; with another number it is a copy, which no hold from here reaches`;
  return [{ level: 'ok', check: 'root', what, where: root }];
}

/** Folders that a user may mistake for this fleet: a pause there pauses nothing here. */
function rivalsOf(root: RootChoice | null, candidates: readonly Candidate[]): Finding[] {
  const findings: Finding[] = [];
  const homes = candidates.filter(
    ({ source, state }) => source.startsWith('~') && state === 'folder',
  );
  if (homes.length === 2 && root !== null) {
    findings.push({
      level: root.source.startsWith('~') ? 'warning' : 'note',
      check: 'root',
      what: 'both ~/.hermes and ~/.fleet exist, and ~/.hermes is used unless one is named',
      todo: 'remove the one that is not a fleet, or set FLEET_ROOT',
    });
  }
  for (const { path, state, source, chosen } of candidates) {
    if (path === null || state !== 'folder' || chosen || isSameFolder(path, root?.root)) continue;
    if (stateOf(`${path}/${SENTINEL}`) === 'missing') continue;
    findings.push({
      level: 'warning',
      check: 'root',
      what: `there is a sentinel in ${source}, which is not this fleet's root: it holds nothing here`,
      where: `${path}/${SENTINEL}`,
      todo: `if that fleet is meant: ${shellOption('--root', path)}`,
    });
  }
  return findings;
}

function stateOf(path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'missing';
    return stats.isDirectory() ? 'folder' : 'not-a-folder';
  } catch (error) {
    const code = codeOrText(error);
    return code === 'ENOTDIR' ? 'missing' : code;
  }
}

function isSameFolder(path: string, root: string | undefined): boolean {
  try {
    const real = realpathSync.native(path);
    // HERMES_HOME may name a profile of the same fleet.
    return real === root || (root !== undefined && real.startsWith(`${root}/profiles/`));
  } catch {
    return false;
  }
}
