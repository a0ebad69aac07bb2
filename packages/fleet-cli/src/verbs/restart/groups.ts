/**
 * Which gateways serve the selected profiles, and which profiles are restarted together because one process
 * serves them. Nothing is written here.
 */
import { DEFAULT_PROFILE, type Profile } from '@fleet-estop/sentinel-core';
import { usageError } from '../../cli/values.ts';
import { shellOption, visible } from '../../text/visible.ts';
import { listed } from '../../watcher-client/gateways-text.ts';
import type { WatchedGateway, WatcherState } from '../../watcher-client/state.ts';
import { type Means, meansOf } from './means.ts';

/** Profiles that are restarted at once, by one means. */
export interface Group {
  readonly profiles: readonly Profile[];
  /** The gateways that are connected and serve them; none: nobody serves them now. */
  readonly gateways: readonly WatchedGateway[];
  readonly means: Means;
}

/** In the order of the selection. Throws a FleetError for what cannot be restarted. */
export async function planGroups(
  profiles: readonly Profile[],
  state: WatcherState,
): Promise<readonly Group[]> {
  const selected = new Map(profiles.map((profile) => [profile.name, profile]));
  const serving = servingAny(state, [...selected.keys()]);
  refuseOthers(serving, selected);
  const groups: Group[] = [];
  const grouped = new Set<string>();
  for (const { name } of profiles) {
    if (grouped.has(name)) continue;
    const names = togetherWith(name, serving);
    for (const one of names) grouped.add(one);
    const together = profiles.filter((one) => names.has(one.name));
    const gateways = servingAny({ gateways: serving }, [...names]);
    groups.push({ profiles: together, gateways, means: await meansFor(together) });
  }
  return groups;
}

/** The connected gateways that serve one of these profiles. */
export const servingAny = (
  { gateways }: Pick<WatcherState, 'gateways'>,
  names: readonly string[],
): readonly WatchedGateway[] =>
  gateways.filter(
    ({ link, profiles }) => link !== 'gone' && profiles.some(({ name }) => names.includes(name)),
  );

export const namesOf = ({ profiles }: Pick<Group, 'profiles'>): string =>
  profiles.map(({ name }) => name).join(', ');

/** A process that serves other profiles would take them down, too. */
function refuseOthers(
  serving: readonly WatchedGateway[],
  selected: ReadonlyMap<string, Profile>,
): void {
  for (const { instance, pid, profiles } of serving) {
    const names = profiles.map(({ name }) => name);
    const others = names.filter((name) => !selected.has(name));
    if (others.length === 0) continue;
    const all = [...new Set([...selected.keys(), ...names])];
    throw usageError(
      `the gateway \`${visible(instance)}\` (process ${pid}) serves ${listed(others.map(visible))}, too`,
      others.includes(DEFAULT_PROFILE)
        ? 'it serves the root itself: pause the whole fleet with `fleet drain`, restart it yourself, and `fleet resume`'
        : `name all that it serves: fleet restart ${all.map((name) => shellOption('-p', name)).join(' ')}`,
    );
  }
}

function togetherWith(name: string, serving: readonly WatchedGateway[]): ReadonlySet<string> {
  const names = new Set([name]);
  for (let size = 0; size < names.size; ) {
    size = names.size;
    for (const { name: one } of servingAny({ gateways: serving }, [...names]).flatMap(
      ({ profiles }) => profiles,
    )) {
      names.add(one);
    }
  }
  return names;
}

async function meansFor(together: readonly Profile[]): Promise<Means> {
  const found = new Map<string, Means>();
  for (const profile of together) {
    const means = await meansOf(profile);
    if (means === null) continue;
    // A path that is relative to the home is another program in each home.
    const isRelative = /^[^/]+\//.test(means.words[0]);
    const key = JSON.stringify(isRelative ? means : means.words);
    found.set(key, found.get(key) ?? means);
  }
  const [means, other] = found.values();
  const names = namesOf({ profiles: together });
  if (means === undefined) {
    throw usageError(
      `it is not known how to restart the gateway of ${names}: no \`gateway.restart\` in \`profile.yaml\``,
      'name the means there: {systemd: UNIT}, {command: [PROGRAM, …]} or {container: NAME}',
    );
  }
  if (other !== undefined) {
    throw usageError(
      `one process serves ${names}, and their \`profile.yaml\` name different means to restart it`,
      'leave `gateway.restart` in one of them, or make them the same',
    );
  }
  return means;
}
