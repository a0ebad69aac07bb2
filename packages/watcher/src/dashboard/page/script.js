// @ts-nocheck
/**
 * The dashboard: renders what the feed sends, and shows when it is out of date.
 */
import { alertsIn } from './alerts.js';
import { announcer } from './announce.js';
import { changes } from './change.js';
import { profilesTable } from './lanes.js';
import { eventsList, gatewaysTable } from './others.js';
import { share } from './share.js';
import { lostBecause, revisionsOf, summaryOf } from './standing.js';
import {
  element,
  heldFor,
  holderOf,
  isolated,
  leftOf,
  PLACE,
  put,
  reasonOf,
  span,
  visible,
} from './text.js';

const byId = (id) => document.getElementById(id);

let state = null;
let link = { live: false, asking: null, heardAt: 0, heartbeatMs: 3_000, skewMs: 0, blind: [] };
let drawn = null;
let due = false;
let shown = 0;
let wasStale = false;
let sharedSaid = '';

const change = changes(holdsOf, () => redraw(true));
const profiles = profilesTable(byId('profile-rows'), change.open);
const gateways = gatewaysTable(byId('gateway-rows'));
const events = eventsList(byId('events'));
const alerts = alertsIn(byId('alerts'));
const announce = announcer(byId('announced'));
byId('fleet-change').addEventListener('click', () => change.open(null));

/** The watcher's clock, since ages must not depend on the browser's clock. */
const now = () => Date.now() + link.skewMs;
/** Neither does the stream send anything, nor does the watcher answer. */
const isStale = () => {
  if (!link.live && !link.asking) return true;
  const everyMs = link.live ? link.heartbeatMs : link.asking.everyMs;
  return Date.now() - link.heardAt > 3 * everyMs + 500;
};

function holdsOf(name) {
  if (state === null) return [];
  const shared = state.scopes.flatMap(({ holds }) => holds);
  if (name === null) return shared;
  const profile = state.profiles.find((candidate) => candidate.name === name);
  return [...(profile?.own?.holds ?? []), ...shared];
}

function draw() {
  due = false;
  if (state !== null && drawn !== state) {
    drawn = state;
    put(byId('root'), visible(state.root));
    document.body.dataset.revision = String(state.revision);
    const lost = lostBecause(state);
    const mayChange = change.mayChange();
    shown = profiles.show(
      state.profiles.map(({ name, engaged, acknowledgement }) => ({
        name,
        engaged,
        holds: engaged ? holdsOf(name) : [],
        acknowledgement,
      })),
      mayChange,
      lost,
    );
    byId('fleet-change').hidden = !mayChange;
    gateways.show(state.gateways, revisionsOf(state), lost);
    byId('no-gateways').hidden = state.gateways.length > 0;
    change.refresh();
    change.writing(state.config.writing);
  }
  tick();
}

function redraw(anew = false) {
  if (anew) drawn = null;
  if (due) return;
  due = true;
  // A hidden tab gets no animation frames, but still has a title.
  if (document.hidden) setTimeout(draw, 100);
  else requestAnimationFrame(draw);
}

function tick() {
  const stale = isStale();
  document.body.classList.toggle('stale', stale);
  put(byId('freshness'), freshness(stale));
  alerts.show(state, link, stale);
  if (state !== null) showTimes(stale);
  wasStale = stale;
}

function freshness(stale) {
  const heard = link.heardAt === 0 ? '' : `, last message ${span(Date.now() - link.heardAt)} ago`;
  if (stale) return `Not connected${heard}`;
  if (state === null) return 'Connecting…';
  const how = link.live ? 'Live' : `Not live: polls every ${link.asking.everyMs / 1_000} s`;
  return `${how}, revision ${state.revision}`;
}

/** Updated together with the rows, so that the page is consistent. */
function showTimes(stale) {
  const nowMs = now();
  profiles.tick(nowMs);
  gateways.tick(nowMs);
  showShared(nowMs);
  const paused = state.profiles.filter(({ engaged }) => engaged).length;
  put(byId('profiles-count'), `${shown} of ${state.profiles.length} shown`);
  put(document.head.querySelector('title'), `${titleMark(stale, paused)}fleet`);
  const summary = `${stale ? 'Last known: ' : ''}${summaryOf(state)}`;
  put(byId('summary'), summary);
  // The last announcement is no longer true.
  if (stale !== wasStale) announce.sayNow(summary);
  else announce.say(summary);
}

function titleMark(stale, paused) {
  if (stale) return '⚠ stale — ';
  if (lostBecause(state) !== null) return '⚠ cannot be read — ';
  return paused > 0 ? `(${paused} paused) ` : '';
}

function showShared(nowMs) {
  // The placeholder hold of an unreadable fleet is already an alert.
  const isLost = lostBecause(state) !== null;
  const holds = holdsOf(null).filter(({ unreadable }) => !isLost || unreadable === null);
  const texts = holds.map(
    (hold) =>
      `Paused, ${PLACE[hold.scope]}: ${reasonOf(hold)} — ${holderOf(hold)}, for ${heldFor(hold, nowMs)}, left: ${leftOf(hold, nowMs)}`,
  );
  if (sharedSaid === texts.join('\n')) return;
  sharedSaid = texts.join('\n');
  byId('shared').replaceChildren(
    ...texts.map((text) => {
      const made = element('p', undefined, 'hold');
      made.append(isolated(text));
      return made;
    }),
  );
}

const feed = share((message) => {
  if (message.kind === 'state') state = message.state;
  if (message.kind === 'events') events.show(message.events);
  if (message.link !== undefined) link = message.link;
  redraw();
});

const sift = () => {
  shown = profiles.sift(byId('filter').value, byId('only-paused').checked);
  tick();
};
byId('filter').addEventListener('input', sift);
byId('only-paused').addEventListener('change', sift);
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, dialog')) return;
  event.preventDefault();
  byId('filter').focus();
});
/** After a sleep: first show that the state is old, then look. */
const wake = () => {
  tick();
  if (isStale()) feed.look();
};
for (const name of ['visibilitychange', 'pageshow', 'online']) addEventListener(name, wake);
setInterval(tick, 1_000);
