// @ts-nocheck
/**
 * Derives the state of the fleet as a whole: whether it can be read, and which gateways have
 * acknowledged. It claims nothing that the single parts do not support.
 */
import { visible } from './text.js';

/**
 * Why the fleet cannot be read, for example because its folder is gone; null: it can. Profiles then
 * show their last known state, and acknowledgements mean nothing.
 */
export function lostBecause({ unreadable, scopes }) {
  const listing = unreadable.find(({ what }) => what === 'profiles');
  const root = scopes.find(({ kind }) => kind === 'root');
  return listing !== undefined && root?.unreadable !== null ? listing.why : null;
}

export const revisionsOf = ({ profiles }) =>
  new Map(profiles.map(({ name, revision }) => [name, revision]));

export const isCurrent = ({ name, acknowledged }, revisions) =>
  acknowledged !== null && acknowledged >= (revisions.get(name) ?? Number.POSITIVE_INFINITY);

/** Everything that it serves is at its newest revision, by the link state and by our own check. */
export const hasAcknowledged = ({ link, profiles }, revisions) =>
  link === 'acknowledged' && profiles.every((served) => isCurrent(served, revisions));

/** For each profile, as text: how many gateways serve it, and how many have acknowledged. */
export function acknowledgements(state) {
  const counts = new Map(state.profiles.map(({ name }) => [name, { all: 0, current: 0 }]));
  const revisions = revisionsOf(state);
  for (const gateway of state.gateways) {
    if (gateway.link === 'gone') continue;
    for (const served of gateway.profiles) {
      const found = counts.get(served.name);
      if (found === undefined) continue;
      found.all += 1;
      if (gateway.link !== 'stale' && isCurrent(served, revisions)) found.current += 1;
    }
  }
  const isLost = lostBecause(state) !== null;
  return new Map([...counts].map(([name, found]) => [name, isLost ? 'not known' : textOf(found)]));
}

function textOf({ all, current }) {
  if (all === 0) return 'no gateway';
  return current === all ? `all ${all}` : `not all: ${current} of ${all}`;
}

export function summaryOf(state) {
  const profiles = state.profiles.length;
  const why = lostBecause(state);
  if (why !== null) {
    return `The fleet cannot be read (${visible(why)}): ${profiles} profiles count as held; what gateways have applied is unknown.`;
  }
  const paused = state.profiles.filter(({ engaged }) => engaged).length;
  return `${paused} of ${profiles} profiles paused; ${gatewaysText(state)}.`;
}

function gatewaysText(state) {
  const here = state.gateways.filter(({ link }) => link !== 'gone');
  if (here.length === 0) return 'no gateway is connected';
  const revisions = revisionsOf(state);
  const acknowledged = here.filter((gateway) => hasAcknowledged(gateway, revisions)).length;
  const count = `${acknowledged} of ${here.length} gateways have acknowledged the state`;
  const unserved = unservedIn(state, here);
  if (unserved === 0) return count;
  return `${count}; no gateway serves ${unserved} of ${state.profiles.length} profiles`;
}

/** Acknowledgements say nothing about a profile that no gateway serves. */
function unservedIn({ profiles }, here) {
  const served = new Set(here.flatMap((gateway) => gateway.profiles.map(({ name }) => name)));
  return profiles.filter(({ name }) => !served.has(name)).length;
}
