// @ts-nocheck
/**
 * What stands above everything else: that the page is not live, that the fleet cannot be read, and
 * whatever else makes what is shown less than it looks like.
 */
import { lostBecause } from './standing.js';
import { element, visible } from './text.js';

const MAX_SHOWN = 8;
/** A page that has only just begun is not one that nobody answers. */
const GRACE_MS = 2_000;

const NO_STREAM = {
  full: 'the watcher has no place for another stream now',
  refused: 'the watcher, or what stands before it, gives this page no stream',
  unknown: 'there is no stream to the watcher now',
};

/** `node`: a region of the role alert. */
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
    `The fleet cannot be read: ${visible(state.root)} (${visible(why)}). Every profile counts as held, and nothing of what is shown below is known to be so.`,
  ];
}

function ofLink(state, { asking, blind }, isStale) {
  if (isStale && state === null) {
    return performance.now() > GRACE_MS ? ['The watcher does not answer.'] : [];
  }
  if (isStale) {
    return [
      'Stale: the watcher is not heard. What is shown may be wrong by now; holds on disk still apply.',
    ];
  }
  const said = [];
  if (asking) {
    said.push(
      `Not live: ${NO_STREAM[asking.why] ?? NO_STREAM.unknown}. So this page asks every ${asking.everyMs / 1_000} s what stands, without recent events, until there is a stream.`,
    );
  }
  if (blind === null) said.push('Whether the watcher sees the disk is not known.');
  for (const why of blind ?? []) said.push(`The watcher is blind: ${visible(why)}`);
  return said;
}

function ofState(state) {
  if (state === null) return [];
  const said = [];
  // Where the whole of it cannot be read, no part of it can.
  for (const { what, why } of lostBecause(state) === null ? state.unreadable : []) {
    said.push(`Cannot be read, and so counts as held: ${visible(what)} (${visible(why)})`);
  }
  for (const { path, in_force } of state.config.rejected) {
    const inForce = in_force === 'defaults' ? 'defaults are' : 'the last good ones are';
    said.push(`Settings refused: ${visible(path)}; ${inForce} in force.`);
  }
  for (const { name, why } of state.rejected) {
    said.push(`Not a profile: ${visible(name)} (${visible(why)})`);
  }
  return said;
}
