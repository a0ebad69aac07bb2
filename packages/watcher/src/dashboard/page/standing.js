// @ts-nocheck
/**
 * The state of the fleet as a whole: whether it can be read, and which gateways have acknowledged.
 * The watcher judges acknowledgements; this page only shows its verdicts.
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

/** Everything that it serves is at its newest revision. */
export const hasAcknowledged = ({ link, profiles }) =>
  link === 'acknowledged' && profiles.every(({ standing }) => standing === 'acknowledged');

/** The watcher's verdict on one profile: how many gateways serve it and have acknowledged. */
export function acknowledgementText({ verdict, connected, acknowledged }) {
  if (verdict === 'acknowledged') return `all ${connected}`;
  if (verdict === 'not-acknowledged') return `not all: ${acknowledged} of ${connected}`;
  return verdict === 'unserved' ? 'no gateway' : 'not known';
}

export const isBehind = ({ verdict }) => verdict === 'not-acknowledged' || verdict === 'unknown';

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
  const counts = countsText(state);
  return state.starting
    ? `${counts}; the watcher has just started, and others may still be connecting`
    : counts;
}

function countsText(state) {
  const here = state.gateways.filter(({ link }) => link !== 'gone');
  if (here.length === 0) return 'no gateway is connected';
  const acknowledged = here.filter(hasAcknowledged).length;
  const count = `${acknowledged} of ${here.length} gateways have acknowledged the state`;
  // Acknowledgements say nothing about a profile that no gateway serves.
  const unserved = state.profiles.filter(({ acknowledgement: { connected } }) => connected === 0);
  if (unserved.length === 0) return count;
  return `${count}; no gateway serves ${unserved.length} of ${state.profiles.length} profiles`;
}
