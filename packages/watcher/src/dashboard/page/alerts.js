// @ts-nocheck
/**
 * The alerts at the top of the page: it is not live, the fleet cannot be read, or something else
 * makes the shown state incomplete.
 */
import { lostBecause } from './standing.js';
import { element, visible } from './text.js';

const MAX_SHOWN = 8;
/** A page that has just loaded does not report a missing answer yet. */
const GRACE_MS = 2_000;

const NO_STREAM = {
  full: 'the stream limit of the watcher is reached',
  refused: 'the watcher, or a proxy in front of it, refuses this page a stream',
  unknown: 'there is no stream to the watcher',
};

/** `node`: a region with the role alert. */
export function alertsIn(node) {
  let shown = '';
  return {
    show(state, link, isStale) {
      const loud = loudly(state);
      const all = [...loud, ...ofLink(state, link, isStale), ...ofState(state)];
      const rest = all.length - MAX_SHOWN;
      const texts = rest > 0 ? [...all.slice(0, MAX_SHOWN), `and ${rest} more`] : all;
      if (shown === texts.join('\n')) return;
      shown = texts.join('\n');
      node.replaceChildren(
        ...texts.map((text, at) => element('p', text, at < loud.length ? 'alert loud' : 'alert')),
      );
    },
  };
}

function loudly(state) {
  const why = state === null ? null : lostBecause(state);
  if (why === null) return [];
  return [
    `The fleet cannot be read: ${visible(state.root)} (${visible(why)}). Every profile counts as held; the state shown below may be wrong.`,
  ];
}

function ofLink(state, { asking, blind }, isStale) {
  if (isStale && state === null) {
    return performance.now() > GRACE_MS ? ['The watcher does not answer.'] : [];
  }
  if (isStale) {
    return [
      'Stale: no contact with the watcher. The shown state may be wrong by now; holds on disk still apply.',
    ];
  }
  const said = [];
  if (asking) {
    said.push(
      `Not live: ${NO_STREAM[asking.why] ?? NO_STREAM.unknown}. Until there is a stream, this page polls every ${asking.everyMs / 1_000} s, without recent events.`,
    );
  }
  if (blind === null) said.push('It is unknown whether the watcher sees the disk.');
  for (const why of blind ?? []) said.push(`The watcher is blind: ${visible(why)}`);
  return said;
}

function ofState(state) {
  if (state === null) return [];
  const said = [];
  // If the whole fleet cannot be read, do not list its parts.
  for (const { what, why } of lostBecause(state) === null ? state.unreadable : []) {
    said.push(`Cannot be read, counts as held: ${visible(what)} (${visible(why)})`);
  }
  for (const { path, in_force } of state.config.rejected) {
    const inForce = in_force === 'defaults' ? 'defaults are' : 'the last good settings are';
    said.push(`Settings rejected: ${visible(path)}; ${inForce} in force.`);
  }
  for (const { name, why } of state.rejected) {
    said.push(`Not a profile: ${visible(name)} (${visible(why)})`);
  }
  return said;
}
