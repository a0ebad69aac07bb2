// @ts-nocheck
/**
 * What the state says of the fleet as a whole: whether it can be read at all, and who has said that
 * its newest state is in force. Nothing here is a claim that one of its parts does not bear out.
 */
import { visible } from './text.js';

/**
 * Why nothing is known of the fleet, as where its folder is gone: null where that is not so. A profile is
 * then no more than what it was, and whoever acknowledged something, acknowledged that nobody knows.
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

/** All of what it serves is at its newest, by its own word and by ours. */
export const hasAcknowledged = ({ link, profiles }, revisions) =>
  link === 'acknowledged' && profiles.every((served) => isCurrent(served, revisions));

/** By profile, who serves it, and who of them has its newest state in force: as text. */
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
    return `The fleet cannot be read (${visible(why)}): ${profiles} profiles count as held; what gateways have in force is not known.`;
  }
  const paused = state.profiles.filter(({ engaged }) => engaged).length;
  return `${paused} of ${profiles} profiles paused; ${gatewaysText(state)}.`;
}

function gatewaysText(state) {
  const here = state.gateways.filter(({ link }) => link !== 'gone');
  if (here.length === 0) return 'no gateway is connected';
  const revisions = revisionsOf(state);
  const acknowledged = here.filter((gateway) => hasAcknowledged(gateway, revisions)).length;
  const count = `${acknowledged} of ${here.length} gateways have acknowledged what stands`;
  const unserved = unservedIn(state, here);
  if (unserved === 0) return count;
  return `${count}; nobody serves ${unserved} of ${state.profiles.length} profiles`;
}

/** What all gateways have in force says nothing of a profile that none of them serves. */
function unservedIn({ profiles }, here) {
  const served = new Set(here.flatMap((gateway) => gateway.profiles.map(({ name }) => name)));
  return profiles.filter(({ name }) => !served.has(name)).length;
}
