/**
 * Suggests values of options from the fleet: profiles, labels, holders and holds.
 */

import { EVENT_TYPES } from '@fleet-estop/protocol';
import { isHolderName, listProfiles, nodeDisk } from '@fleet-estop/sentinel-core';
import { headline, profileName, scopeName } from '../fleet/hold-text.ts';
import { defaultHolder } from '../fleet/holder.ts';
import { rootOf } from '../fleet/session.ts';
import { readProfiles } from '../fleet/settings.ts';
import { isHeld, type ProfileState, readProfileState, readRootState } from '../fleet/state.ts';
import { canBeArgument } from '../text/visible.ts';

export interface Suggestion {
  readonly value: string;
  /** A description, for shells that show one; may be empty. */
  readonly about: string;
}

/** Milliseconds for reading profile.yaml files, because completion must not wait for a thousand of them. */
const MAX_READING_MS = 400;

const CHOICES: Readonly<Record<string, readonly string[]>> = {
  color: ['auto', 'always', 'never'],
  only: ['paused', 'running', 'unreadable'],
  format: ['text', 'json', 'github', 'junit'],
  type: EVENT_TYPES,
  observe: ['auto', 'native', 'chokidar', 'poll'],
  logLevel: ['debug', 'info', 'warn', 'error'],
};

/** `option`: the attribute name, such as `allowProfile`. Throws without a fleet. */
export async function suggestionsFor(
  option: string,
  root: string | undefined,
  current: string,
): Promise<Suggestion[]> {
  switch (option) {
    case 'profile':
    case 'canary':
      return profileStatesOf(root).map(({ profile, states }) => ({
        value: profileName(profile),
        about: isHeld(states) ? 'paused' : 'running',
      }));
    case 'allowProfile':
      return profileStatesOf(root).map(({ profile }) => ({
        value: profileName(profile),
        about: '',
      }));
    case 'label':
      return labelsOf(root, current);
    case 'as':
      return holdersOf(root);
    case 'hold':
      return holdsOf(root).flatMap(({ hold, where }) =>
        canBeArgument(hold.id) ? [{ value: hold.id, about: `${where}: ${headline(hold)}` }] : [],
      );
    default:
      return (CHOICES[option] ?? []).map((value) => ({ value, about: '' }));
  }
}

const chosenRoot = (root: string | undefined): string =>
  rootOf(root === undefined ? {} : { root }).root;

function profileStatesOf(root: string | undefined): ProfileState[] {
  const dir = chosenRoot(root);
  const disk = nodeDisk();
  const rootState = readRootState(disk, dir);
  return listProfiles(dir).profiles.map((profile) =>
    readProfileState(disk, rootState, dir, profile),
  );
}

function holdsOf(root: string | undefined) {
  const dir = chosenRoot(root);
  const states = [readRootState(nodeDisk(), dir), ...profileStatesOf(root)].flatMap(
    (profileState) => profileState.states,
  );
  const seen = new Set<string>();
  return states.flatMap(({ scope, check }) => {
    if (!check.engaged || seen.has(scope.dir)) return [];
    seen.add(scope.dir);
    return check.holds.map((hold) => ({ hold, where: scopeName(scope) }));
  });
}

function holdersOf(root: string | undefined): Suggestion[] {
  const places = new Map<string, string[]>([[defaultHolder(), []]]);
  for (const { hold, where } of holdsOf(root)) {
    if (hold.holder === null || !isHolderName(hold.holder)) continue;
    places.set(hold.holder, [...(places.get(hold.holder) ?? []), where]);
  }
  return [...places].map(([value, where]) => ({
    value,
    about: where.length === 0 ? 'holds nothing' : `holds ${where.slice(0, 3).join(', ')}`,
  }));
}

/** `tier=batch`; after a `!`, selectors that exclude. */
async function labelsOf(root: string | undefined, current: string): Promise<Suggestion[]> {
  let startedAt: number | undefined;
  const pairs = new Map<string, Set<string>>();
  for (const profile of listProfiles(chosenRoot(root)).profiles) {
    if (startedAt !== undefined && performance.now() - startedAt > MAX_READING_MS) break;
    const [read] = await readProfiles([profile]);
    // The first one loads the YAML reader, which alone takes longer on a busy machine.
    startedAt ??= performance.now();
    const labels = read?.file.state === 'read' ? read.file.settings.labels : undefined;
    for (const [key, value] of Object.entries(labels ?? {})) {
      pairs.set(key, (pairs.get(key) ?? new Set()).add(value));
    }
  }
  const keys = [...pairs.keys()].sort();
  const bare = (value: string): Suggestion => ({ value, about: '' });
  if (current.startsWith('!')) return keys.map((key) => bare(`!${key}`));
  const sign = current.includes('!') ? '!=' : '=';
  return keys.flatMap((key) => [
    bare(key),
    ...[...(pairs.get(key) ?? [])]
      .sort()
      .flatMap((value) => (value === '' ? [] : [bare(`${key}${sign}${value}`)])),
  ]);
}
