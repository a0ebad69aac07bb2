// @ts-nocheck
/**
 * The dashboard: puts what the feed tells on the page, and says when it is no longer told.
 */
import { changes } from './change.js';
import { lanesTable } from './lanes.js';
import { eventsList, gatewaysTable, isCurrent } from './others.js';
import { share } from './share.js';
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
/** A screen reader is told of many changes at once. */
const SUMMARY_MS = 1_500;

let state = null;
let link = { live: false, heardAt: 0, heartbeatMs: 3_000, skewMs: 0, blind: [] };
let drawn = null;
let due = false;
let shown = 0;
let summaryAt = 0;
let wasStale = false;
let alertsSaid = '';
let sharedSaid = '';

const change = changes(holdsOf, () => redraw(true));
const lanes = lanesTable(byId('lane-rows'), change.open);
const gateways = gatewaysTable(byId('gateway-rows'));
const events = eventsList(byId('events'));
byId('fleet-change').addEventListener('click', () => change.open(null));

/** The watcher's clock: ages are told by it, wherever the browser is. */
const now = () => Date.now() + link.skewMs;
const isStale = () => !link.live || Date.now() - link.heardAt > 3 * link.heartbeatMs + 500;

function holdsOf(name) {
  if (state === null) return [];
  const shared = state.scopes.flatMap(({ holds }) => holds);
  if (name === null) return shared;
  const lane = state.profiles.find((candidate) => candidate.name === name);
  return [...(lane?.own?.holds ?? []), ...shared];
}

/** Who serves each lane, and who of them said that its newest state is in force. */
function acknowledgements() {
  const found = new Map(state.profiles.map(({ name }) => [name, { all: 0, current: 0 }]));
  const revisions = revisionsOf();
  for (const gateway of state.gateways) {
    if (gateway.link === 'gone') continue;
    for (const served of gateway.profiles) {
      const counts = found.get(served.name);
      if (counts === undefined) continue;
      counts.all += 1;
      if (gateway.link !== 'stale' && isCurrent(served, revisions)) counts.current += 1;
    }
  }
  return found;
}
const revisionsOf = () => new Map(state.profiles.map(({ name, revision }) => [name, revision]));

function ackText({ all, current }) {
  if (all === 0) return 'no gateway';
  return current === all ? `all ${all}` : `not all: ${current} of ${all}`;
}

function draw() {
  due = false;
  if (state !== null && drawn !== state) {
    drawn = state;
    put(byId('root'), visible(state.root));
    document.body.dataset.revision = String(state.revision);
    const counts = acknowledgements();
    const mayChange = change.mayChange();
    shown = lanes.show(
      state.profiles.map(({ name, engaged }) => ({
        name,
        engaged,
        holds: engaged ? holdsOf(name) : [],
        acknowledged: ackText(counts.get(name)),
      })),
      mayChange,
    );
    byId('fleet-change').hidden = !mayChange;
    gateways.show(state.gateways, revisionsOf());
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
  // A hidden tab gets no frames, and still has a title.
  if (document.hidden) setTimeout(draw, 100);
  else requestAnimationFrame(draw);
}

function tick() {
  const stale = isStale();
  // What a screen reader was told is not so any more.
  if (document.body.classList.toggle('stale', stale) !== wasStale) summaryAt = 0;
  wasStale = stale;
  const heard = link.heardAt === 0 ? '' : `, last heard ${span(Date.now() - link.heardAt)} ago`;
  const fresh = state === null ? 'Connecting…' : `Live, revision ${state.revision}`;
  put(byId('freshness'), stale ? `Not connected${heard}` : fresh);
  sayAlerts(stale);
  if (state === null) return;
  const nowMs = now();
  lanes.tick(nowMs);
  gateways.tick(nowMs);
  showShared(nowMs);
  const paused = state.profiles.filter(({ engaged }) => engaged).length;
  put(byId('lanes-count'), `${shown} of ${state.profiles.length} shown`);
  const mark = stale ? '⚠ stale — ' : paused > 0 ? `(${paused} paused) ` : '';
  if (document.title !== `${mark}fleet`) document.title = `${mark}fleet`;
  if (Date.now() - summaryAt < SUMMARY_MS) return;
  summaryAt = Date.now();
  const last = stale ? 'Last known: ' : '';
  put(
    byId('summary'),
    `${last}${paused} of ${state.profiles.length} lanes paused; ${gatewaysText()}.`,
  );
}

function gatewaysText() {
  const here = state.gateways.filter(({ link: how }) => how !== 'gone');
  if (here.length === 0) return 'no gateway is connected';
  const told = here.filter(({ link: how }) => how === 'acknowledged').length;
  return `${told} of ${here.length} gateways have acknowledged what stands`;
}

function sayAlerts(stale) {
  const said = [];
  if (stale && state !== null) {
    said.push(
      'Stale: the watcher is not heard. What is shown may be wrong by now; holds on disk still apply.',
    );
  }
  if (stale && state === null && performance.now() > 2_000)
    said.push('The watcher does not answer.');
  for (const why of stale ? [] : link.blind) said.push(`The watcher is blind: ${visible(why)}`);
  for (const { what, why } of state?.unreadable ?? []) {
    said.push(`Cannot be read, and so counts as held: ${visible(what)} (${visible(why)})`);
  }
  for (const { path, in_force } of state?.config.rejected ?? []) {
    const inForce = in_force === 'defaults' ? 'defaults are' : 'the last good ones are';
    said.push(`Settings refused: ${visible(path)}; ${inForce} in force.`);
  }
  for (const { name, why } of state?.rejected ?? []) {
    said.push(`No lane: ${visible(name)} (${visible(why)})`);
  }
  const some = said.length > 8 ? [...said.slice(0, 8), `and ${said.length - 8} more`] : said;
  if (alertsSaid === some.join('\n')) return;
  alertsSaid = some.join('\n');
  byId('alerts').replaceChildren(...some.map((text) => element('p', text, 'alert')));
}

function showShared(nowMs) {
  const texts = holdsOf(null).map(
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
  shown = lanes.sift(byId('filter').value, byId('only-paused').checked);
  tick();
};
byId('filter').addEventListener('input', sift);
byId('only-paused').addEventListener('change', sift);
addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input, dialog')) return;
  event.preventDefault();
  byId('filter').focus();
});
/** After sleep: first say what is true of what is shown, then look. */
const wake = () => {
  tick();
  if (isStale()) feed.look();
};
for (const name of ['visibilitychange', 'pageshow', 'online']) addEventListener(name, wake);
setInterval(tick, 1_000);
