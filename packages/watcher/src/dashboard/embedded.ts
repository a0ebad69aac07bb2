/** The files in `page/`, as they are served. Written by `scripts/embed-dashboard.mjs`. */
export const embedded = {
  'alerts.js': `/**
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

/** \`node\`: a region with the role alert. */
export function alertsIn(node) {
  let shown = '';
  return {
    show(state, link, isStale) {
      const loud = loudly(state);
      const all = [...loud, ...ofLink(state, link, isStale), ...ofState(state)];
      const rest = all.length - MAX_SHOWN;
      const texts = rest > 0 ? [...all.slice(0, MAX_SHOWN), \`and \${rest} more\`] : all;
      if (shown === texts.join('\\n')) return;
      shown = texts.join('\\n');
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
    \`The fleet cannot be read: \${visible(state.root)} (\${visible(why)}). Every profile counts as held; the state shown below may be wrong.\`,
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
      \`Not live: \${NO_STREAM[asking.why] ?? NO_STREAM.unknown}. Until there is a stream, this page polls every \${asking.everyMs / 1_000} s, without recent events.\`,
    );
  }
  if (blind === null) said.push('It is unknown whether the watcher sees the disk.');
  for (const why of blind ?? []) said.push(\`The watcher is blind: \${visible(why)}\`);
  return said;
}

function ofState(state) {
  if (state === null) return [];
  const said = [];
  // If the whole fleet cannot be read, do not list its parts.
  for (const { what, why } of lostBecause(state) === null ? state.unreadable : []) {
    said.push(\`Cannot be read, counts as held: \${visible(what)} (\${visible(why)})\`);
  }
  for (const { path, in_force } of state.config.rejected) {
    const inForce = in_force === 'defaults' ? 'defaults are' : 'the last good settings are';
    said.push(\`Settings rejected: \${visible(path)}; \${inForce} in force.\`);
  }
  for (const { name, why } of state.rejected) {
    said.push(\`Not a profile: \${visible(name)} (\${visible(why)})\`);
  }
  return said;
}
`,
  'announce.js': `/**
 * Announces the newest summary to screen readers, at a rate that can be listened to.
 * The visible text never waits for this.
 */
import { put } from './text.js';

const PAUSE_MS = 1_500;

/** \`node\`: a live region. */
export function announcer(node) {
  let newest = '';
  let saidAt = Number.NEGATIVE_INFINITY;
  let timer;

  function speak() {
    clearTimeout(timer);
    timer = undefined;
    if (node.textContent === newest) return;
    saidAt = performance.now();
    put(node, newest);
  }
  return {
    say(text) {
      newest = text;
      timer ??= setTimeout(speak, Math.max(0, saidAt + PAUSE_MS - performance.now()));
    },
    /** For a text that makes the previous one wrong. */
    sayNow(text) {
      newest = text;
      speak();
    },
  };
}
`,
  'ask.js': `/**
 * Single requests to the watcher: the state, whether it sees the disk, and why there is no stream.
 * When they are sent, and what follows, is \`feed.js\`.
 */
const READ_MS = 10_000;
/** Bounds for the waiting time that an error answer asks for. */
const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 60_000;
/** The \`Date\` header counts in seconds: a smaller difference means nothing. */
const CLOCK_MS = 2_000;

const ask = (path, options = {}) =>
  fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(READ_MS), ...options });

/**
 * \`found\` null: the state is unchanged since this tag. Throws if the watcher does not answer with
 * it.
 */
export async function askState(tag) {
  const answer = await ask('/v1/state', {
    headers: tag === '' ? {} : { 'If-None-Match': tag },
  });
  const skewMs = skewOf(answer.headers.get('Date'));
  if (answer.status === 304) return { found: null, tag, skewMs };
  if (answer.status !== 200) throw new Error(\`status \${answer.status}\`);
  return { found: await answer.json(), tag: answer.headers.get('ETag') ?? '', skewMs };
}

/** Why the watcher does not see the disk, as in heartbeats; empty: it does; null: unknown. */
export async function askBlind() {
  try {
    const { blind } = await (await ask('/readyz')).json();
    return Array.isArray(blind) ? blind : null;
  } catch {
    return null;
  }
}

/**
 * \`EventSource\` hides the error, so this sends the request once more. \`full\`: the stream limit is
 * reached; \`waitMs\` null: no waiting time was given.
 */
export async function askWhyRefused(path) {
  const control = new AbortController();
  const late = setTimeout(() => control.abort(), READ_MS);
  try {
    const answer = await fetch(path, { cache: 'no-store', signal: control.signal });
    if (answer.status === 200) return { why: 'unknown', waitMs: null };
    const seconds = Number(answer.headers.get('Retry-After') ?? Number.NaN);
    const waitMs = Number.isFinite(seconds)
      ? Math.min(Math.max(seconds * 1_000, MIN_WAIT_MS), MAX_WAIT_MS)
      : null;
    const isFull = answer.status === 503 && (await answer.json()).code === 'too-many-streams';
    return { why: isFull ? 'full' : 'refused', waitMs };
  } catch {
    return { why: 'unknown', waitMs: null };
  } finally {
    clearTimeout(late);
    // If it was a stream after all, free its slot for the one that stays.
    control.abort();
  }
}

function skewOf(date) {
  const ms = date === null ? Number.NaN : Date.parse(date) - Date.now();
  return Math.abs(ms) > CLOCK_MS ? ms : 0;
}
`,
  'change.js': `/**
 * Pausing and resuming, with a token that is kept in this tab and also lets \`details.js\` read
 * names.
 * Messages show what the watcher answered; profiles change only when the watcher reports it.
 */
import { comparison, mistakeIn, replacedText } from './replaces.js';
import { element, holderOf, isolated, PLACE, reasonOf, visible } from './text.js';

const KEY = 'fleet-token';
/** The name that was last used for a change in this browser. */
const NAME = 'fleet-name';
const byId = (id) => document.getElementById(id);
const tokenOf = () => sessionStorage.getItem(KEY) ?? '';

/** Headers with the token, if there is one. */
export function authorization() {
  const token = tokenOf();
  // A header cannot carry all characters: let the watcher reject the token.
  return token === '' ? {} : { Authorization: \`Bearer \${token.replace(/[^\\x21-\\x7e]/g, '?')}\` };
}

/**
 * \`holdsOf(name)\`: the holds that bind it now; name null: the whole fleet. \`changed\`: called with
 * whether changes are possible.
 */
export function changes(holdsOf, changed) {
  const [dialog, tokenDialog] = [byId('change'), byId('token')];
  let profile = null;
  let listed = '';
  /** The replacement that is shown, until the request changes; null: none. */
  let shown = null;

  for (const button of document.querySelectorAll('dialog .close')) {
    button.addEventListener('click', () => button.closest('dialog').close());
  }

  async function ask(method, path, body) {
    try {
      const answer = await fetch(path, {
        method,
        headers: {
          ...authorization(),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(15_000),
      });
      const said = await answer.json();
      if (answer.ok) return said;
      return { refused: \`\${visible(said.message)} — \${visible(said.hint)}\` };
    } catch {
      // The change may have been made all the same.
      return { refused: 'No answer. Check the profiles before trying again.' };
    }
  }

  async function lift(button, hold) {
    if (nameOf() === '') return askName();
    button.disabled = true;
    const as = encodeURIComponent(nameOf());
    const said = await ask('DELETE', \`/v1/holds/\${encodeURIComponent(hold.id)}?as=\${as}\`);
    button.disabled = false;
    const rest = said.remaining?.length ?? 0;
    const done =
      rest === 0 ? 'Lifted. Nothing else holds it.' : \`Lifted. Still held \${rest} times.\`;
    say(said.refused ?? [done, ...said.warnings.map(visible)].join(' '));
  }

  const nameOf = () => byId('change-holder').value.trim();

  function askName() {
    say('Enter your name first: the journal should say who did it.');
    byId('change-holder').focus();
  }

  function show(would) {
    shown = would;
    byId('change-replaces').replaceChildren(...(would === null ? [] : comparison(would)));
    byId('change-pause').textContent = would === null ? 'Pause' : 'Replace it';
  }

  const say = (text) => {
    byId('change-said').textContent = text;
  };

  function list() {
    const holds = holdsOf(profile);
    const text = JSON.stringify(holds);
    if (text === listed) return;
    listed = text;
    byId('change-holds').replaceChildren(
      ...holds.map((hold) => {
        const item = element('li');
        const about = \`\${holderOf(hold)}: \${reasonOf(hold)} (\${PLACE[hold.scope]})\`;
        const button = element('button', 'Resume');
        button.type = 'button';
        button.setAttribute('aria-label', \`Resume: lift the hold of \${about}\`);
        button.addEventListener('click', () => lift(button, hold));
        item.append(isolated(about), button);
        return item;
      }),
    );
  }

  const wanted = () => {
    const ttl = byId('change-ttl').value.trim();
    return {
      ...(profile === null ? { root: true } : { profile }),
      holder: nameOf(),
      reason: byId('change-reason').value.trim(),
      ...(ttl === '' ? {} : { ttl }),
    };
  };

  /** Replaces exactly what was shown, or nothing. */
  const fenceOf = ({ comparable, generation }) => (comparable ? { if_generation: generation } : {});

  async function pause() {
    const body = wanted();
    const would = shown ?? (await ask('POST', '/v1/holds', { ...body, dry_run: true }));
    if (would.refused !== undefined) return say(would.refused);
    // The answer is about another profile or an earlier input.
    if (JSON.stringify(wanted()) !== JSON.stringify(body)) {
      return say('Nothing was changed: the request has changed meanwhile. Press again.');
    }
    if (shown === null && would.replaced_hold !== null) {
      show(would);
      return say('Nothing was changed yet.');
    }
    show(null);
    const said = await ask('POST', '/v1/holds', { ...body, ...fenceOf(would) });
    if (said.refused !== undefined) return say(said.refused);
    localStorage.setItem(NAME, body.holder);
    const before = said.replaced_hold;
    const done = ['The hold stands on disk.', ...(before === null ? [] : [replacedText(before)])];
    say([...done, ...said.warnings.map(visible)].join(' '));
  }

  byId('change-form').addEventListener('submit', async (event) => {
    event.preventDefault();
    const mistake = mistakeIn(byId('change-ttl').value.trim());
    if (mistake !== '') {
      say(mistake);
      byId('change-ttl').focus();
      return;
    }
    byId('change-pause').disabled = true;
    await pause();
    byId('change-pause').disabled = false;
  });
  // The request is no longer the one that was shown or answered.
  byId('change-form').addEventListener('input', () => {
    show(null);
    say('');
  });

  byId('token-form').addEventListener('submit', (event) => {
    event.preventDefault();
    const token = byId('token-text').value.trim();
    byId('token-text').value = '';
    if (token === '') sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, token);
    tokenDialog.close();
    changed(token !== '');
  });
  byId('token-open').addEventListener('click', () => tokenDialog.showModal());

  return {
    mayChange: () => tokenOf() !== '',
    open(name) {
      profile = name;
      listed = '';
      // Messages and input of another profile do not apply here.
      for (const id of ['change-reason', 'change-ttl']) byId(id).value = '';
      byId('change-title').textContent = name === null ? 'The whole fleet' : visible(name);
      say('');
      show(null);
      if (nameOf() === '') byId('change-holder').value = localStorage.getItem(NAME) ?? '';
      list();
      dialog.showModal();
      byId('change-reason').focus();
    },
    /** The state has changed, and so may the list of holds that can be lifted. */
    refresh() {
      if (dialog.open) list();
    },
    writing(how) {
      byId('token-said').textContent =
        how === 'off' ? 'Writing is off: the watcher has no token file.' : '';
    },
  };
}
`,
  'details.js': `/**
 * Refusals and work in hand of an open profile, read when it is opened and every few seconds.
 * Unreadable data is reported as such, and never shown as none.
 * Names need the token, which \`change.js\` keeps. Rendering is \`ledger.js\`; the table is \`lanes.js\`.
 */
import { authorization } from './change.js';
import { NEWEST, refusalsOf, workOf } from './ledger.js';
import { element, put, span, visible } from './text.js';

const EVERY_MS = 3_000;
const READ_MS = 10_000;

/** Answers the document at \`path\`, or why it is not available. */
async function read(path) {
  let answer;
  try {
    answer = await fetch(path, {
      cache: 'no-store',
      headers: authorization(),
      signal: AbortSignal.timeout(READ_MS),
    });
    if (answer.ok) return { found: await answer.json() };
  } catch {
    return { why: 'the watcher does not answer' };
  }
  const { status } = answer;
  const code = await codeOf(answer);
  return { why: WHY[code] ?? WHY[status] ?? \`the watcher could not answer (\${status})\` };
}

async function codeOf(answer) {
  try {
    return String((await answer.json()).code);
  } catch {
    // Not an answer of the watcher, or incomplete.
    return '';
  }
}

const WHY = {
  'token-wrong': 'the token in this tab is not the watcher’s; give another one, or leave it empty',
  'token-unusable': 'the watcher cannot use its token file',
  404: 'the watcher has no such profile, or does not show this',
  503: 'the watcher is busy',
};

const PARTS = [
  {
    title: 'Refused work',
    path: (name) => \`/v1/refusals?profile=\${encodeURIComponent(name)}&limit=\${NEWEST}\`,
    nodesOf: refusalsOf,
  },
  {
    title: 'Work in hand',
    path: (name) => \`/v1/profiles/\${encodeURIComponent(name)}\`,
    nodesOf: workOf,
  },
];

export function profileDetails() {
  const shown = new Map();
  let askedAt = 0;
  let unreadable = null;

  async function refresh(name) {
    const profile = shown.get(name);
    if (profile === undefined || profile.reading) return;
    profile.reading = true;
    await Promise.all(profile.parts.map((part) => refreshPart(part, name)));
    profile.reading = false;
  }

  /** One profile after the other, however many are open. */
  async function refreshAll() {
    askedAt = Number.POSITIVE_INFINITY;
    for (const name of [...shown.keys()]) await refresh(name);
    askedAt = Date.now();
  }

  async function refreshPart(part, name) {
    const { found, why } = await read(part.path(name));
    part.why = why;
    if (unreadable !== null) {
      // The records of a missing folder are unknown, which does not mean none.
      forget(part);
    } else if (found !== undefined) {
      try {
        show(part, found);
        part.readAt = Date.now();
      } catch {
        part.why = 'this page does not fit the watcher; reload it';
      }
    }
    sayAge(part);
  }

  function forget(part) {
    part.why = \`the fleet cannot be read (\${visible(unreadable)})\`;
    part.readAt = 0;
    part.body.replaceChildren();
  }

  function makePart({ title, path, nodesOf }) {
    const node = element('section');
    const said = element('p', 'Reading…', 'said');
    said.setAttribute('role', 'status');
    const age = element('small');
    const body = element('div');
    node.append(element('h3', title), said, body, age);
    return { node, said, age, body, path, nodesOf, why: undefined, readAt: 0 };
  }

  return {
    /** Answers the node with this profile's details. */
    open(name) {
      const node = element('div', undefined, 'details');
      node.setAttribute('role', 'group');
      node.setAttribute('aria-label', \`Details of \${visible(name)}\`);
      const parts = PARTS.map(makePart);
      node.append(...parts.map((part) => part.node));
      shown.set(name, { parts, reading: false });
      void refresh(name);
      return node;
    },
    /** \`why\`: the fleet cannot be read; null: it can. */
    lost(why) {
      unreadable = why;
      if (why === null) return;
      for (const { parts } of shown.values()) {
        parts.forEach(forget);
        parts.forEach(sayAge);
      }
    },
    close(name) {
      shown.delete(name);
    },
    tick() {
      for (const { parts } of shown.values()) parts.forEach(sayAge);
      const isDue = Date.now() - askedAt >= EVERY_MS;
      if (shown.size > 0 && !document.hidden && isDue) void refreshAll();
    },
  };
}

function sayAge({ said, age, why, readAt }) {
  const text = why === undefined ? (readAt === 0 ? 'Reading…' : '') : \`Unknown: \${why}.\`;
  put(said, text);
  const past = why === undefined ? 'Read from disk' : 'Shown as read from disk';
  put(age, readAt === 0 ? '' : \`\${past} \${span(Date.now() - readAt)} ago.\`);
}

/** Replaced only if it changed, so that a user's selection stays. */
function show({ body, nodesOf }, found) {
  const made = element('div');
  made.append(...nodesOf(found));
  if (!made.isEqualNode(body.firstChild)) body.replaceChildren(made);
}
`,
  'feed-worker.js': `/**
 * One connection to the watcher for all tabs of a browser, which allows six per host.
 */
import { follow } from './feed.js';

const ports = new Set();
const feed = follow((message) => {
  for (const port of ports) port.postMessage(message);
});

addEventListener('connect', ({ ports: [port] }) => {
  port.addEventListener('message', ({ data }) => {
    if (data === 'bye') ports.delete(port);
    if (data === 'hello') {
      ports.add(port);
      feed.everything();
    }
    if (data === 'look') feed.look();
  });
  port.start();
});
`,
  'feed.js': `/**
 * Follows the watcher's state and whether it is live. Runs in a worker that all tabs share, or in a
 * tab. Stream events are only hints: the state is read again each time. Without a stream, the state
 * is polled every few seconds.
 * The requests are \`ask.js\`.
 */
import { askBlind, askState, askWhyRefused } from './ask.js';

/** Until the watcher announces its interval. */
const HEARTBEAT_MS = 3_000;
const MAX_EVENTS = 100;
const FIRST_RETRY_MS = 500;
const LAST_RETRY_MS = 2_000;
/** While polling works, a stream is less urgent. */
const LAST_ASKING_RETRY_MS = 10_000;
/** Many events at once cause one read. */
const SETTLE_MS = 80;
/** Polling interval without a stream. An unchanged state is a short answer. */
const ASK_MS = 2_000;

/**
 * \`tell\` gets \`{ kind: 'state', state, link }\`, \`{ kind: 'link', link }\` and \`{ kind: 'events',
 * events }\`. A link is \`live\`, or has \`asking: { everyMs, why }\`, or neither: then the watcher does
 * not answer. Answers functions to send everything again, and to look at once, since a machine that
 * slept notices nothing itself.
 */
export function follow(tell) {
  /** The stream that is open or being opened. */
  let source = null;
  let isOpen = false;
  /** The stream during which the state was last read. An older state is not live. */
  let confirmedBy = null;
  /** When the stream was last opened or sent something. */
  let streamAt = 0;
  /** Why there is no stream: \`full\`, \`refused\`, \`unknown\`. */
  let why = 'unknown';
  /** The reason of a refused stream is being requested. */
  let explaining = false;
  let retryMs = FIRST_RETRY_MS;
  let retry;
  let settle;
  let poll;
  let reading = false;
  let readAgain = false;
  let state = null;
  let tag = '';
  let lastId = '';
  let events = [];
  let isClockKnown = false;
  let link = {
    live: false,
    asking: null,
    heardAt: 0,
    heartbeatMs: HEARTBEAT_MS,
    skewMs: 0,
    blind: [],
  };

  const isLive = () => isOpen && confirmedBy === source;
  const relink = (more) => {
    link = { ...link, ...more, live: isLive() };
    if (link.live) link.asking = null;
  };
  const tellLink = (more) => {
    relink(more);
    tell({ kind: 'link', link });
  };
  const isSilent = () => Date.now() - streamAt > 3 * link.heartbeatMs;
  const heard = () => {
    // After a sleep: the stream continues, and its message comes before the state is read again.
    if (isSilent()) confirmedBy = null;
    streamAt = Date.now();
    tellLink({ heardAt: Date.now() });
  };
  const take = (found, more) => {
    relink(more);
    // Two answers may arrive in the wrong order.
    const isOlder = state?.epoch === found.epoch && found.revision < state.revision;
    if (!isOlder) state = found;
    // Sent together, or a new state would briefly be called stale.
    tell({ kind: 'state', state, link });
  };

  /** One read at a time, and one more if something happened meanwhile. */
  async function read() {
    if (reading) {
      readAgain = true;
      return;
    }
    reading = true;
    readAgain = false;
    clearTimeout(poll);
    const during = isOpen ? source : null;
    try {
      const answer = await askState(tag);
      const more = during === null ? { blind: await askBlind() } : {};
      if (during !== null && during === source) confirmedBy = during;
      if (!isLive()) more.asking = { everyMs: ASK_MS, why };
      if (!isClockKnown) more.skewMs = answer.skewMs;
      more.heardAt = Date.now();
      tag = answer.tag;
      if (answer.found === null) tellLink(more);
      else take(answer.found, more);
    } catch {
      lose();
    }
    reading = false;
    if (readAgain) readSoon();
    else askAgain();
  }
  function readSoon() {
    clearTimeout(settle);
    settle = setTimeout(read, SETTLE_MS);
  }
  /** While there is no stream. */
  function askAgain() {
    clearTimeout(poll);
    if (!isLive()) poll = setTimeout(read, ASK_MS);
  }

  function remember(event) {
    if (events.some(({ id }) => id === event.id)) return;
    events = [...events, event].slice(-MAX_EVENTS);
    tell({ kind: 'events', events });
  }

  function open() {
    clearTimeout(retry);
    retry = undefined;
    streamAt = Date.now();
    source?.close();
    isOpen = false;
    const after = lastId === '' ? '' : \`&last_event_id=\${encodeURIComponent(lastId)}\`;
    const path = \`/v1/events?recent=50\${after}\`;
    const opened = new EventSource(path);
    source = opened;
    const on = (name, act) =>
      opened.addEventListener(name, (message) => {
        // Ignore messages of an older stream.
        if (source !== opened) return;
        if (message.lastEventId !== '') lastId = message.lastEventId;
        retryMs = FIRST_RETRY_MS;
        act(JSON.parse(message.data));
      });
    on('snapshot', (found) => {
      tag = '';
      confirmedBy = opened;
      streamAt = Date.now();
      take(found, { heardAt: Date.now() });
    });
    on('message', (event) => {
      remember(event);
      heard();
      readSoon();
    });
    on('gap', ({ epoch, why }) => remember({ id: \`gap-\${epoch}-\${Date.now()}\`, gap: why }));
    on('heartbeat', ({ heartbeat_ms, now_ms, blind }) => {
      isClockKnown = true;
      relink({ heartbeatMs: heartbeat_ms, skewMs: now_ms - Date.now(), blind });
      heard();
      readSoon();
    });
    opened.addEventListener('open', () => {
      if (source !== opened) return;
      isOpen = true;
      why = 'unknown';
      readSoon();
    });
    opened.addEventListener('error', () => {
      if (source !== opened) return;
      // \`EventSource\` reconnects after a failed connection, but not after an error answer.
      const isRefused = opened.readyState === EventSource.CLOSED;
      cut();
      if (isRefused) void explain(path);
      else {
        again(backoff());
        void read();
      }
    });
  }

  /** Find the reason first, so that the next message is complete. */
  async function explain(path) {
    explaining = true;
    const refused = await askWhyRefused(path);
    explaining = false;
    if (source !== null) return;
    why = refused.why;
    // Not before the requested time, and spread over clients.
    again(refused.waitMs === null ? backoff() : refused.waitMs * (1 + Math.random() / 5));
    void read();
  }

  function backoff() {
    const delayMs = retryMs * (0.5 + Math.random());
    const most = link.asking === null ? LAST_RETRY_MS : LAST_ASKING_RETRY_MS;
    retryMs = Math.min(retryMs * 2, most);
    return delayMs;
  }
  function again(delayMs) {
    retry ??= setTimeout(open, delayMs);
  }

  /** The stream is gone: nothing is live until the watcher answers. */
  function cut() {
    source?.close();
    source = null;
    isOpen = false;
    confirmedBy = null;
    tellLink({});
    askAgain();
  }

  /** The watcher does not answer: report it now and retry. */
  function lose() {
    if (link.asking !== null) {
      // The next watcher did not ask for this waiting time.
      clearTimeout(retry);
      retry = undefined;
      why = 'unknown';
      retryMs = FIRST_RETRY_MS;
    }
    relink({ asking: null });
    cut();
    again(backoff());
  }

  /** A silently dropped connection looks like one without events. */
  function look() {
    if (source === null || !isSilent()) return;
    cut();
    again(backoff());
    void read();
  }
  open();
  askAgain();
  setInterval(look, 1_000);
  return {
    look() {
      if (source !== null) look();
      // Each tab asks for a look at its start; while the limit is reached, do not open a stream for
      // it.
      else if (why !== 'full' && !explaining) open();
      void read();
    },
    everything() {
      tell(state === null ? { kind: 'link', link } : { kind: 'state', state, link });
      tell({ kind: 'events', events });
    },
  };
}
`,
  'lanes.js': `/**
 * The table of profiles: one group of rows per profile, one row per hold, and one for open details.
 * A group is created once, and updated only where something changed.
 */
import { profileDetails } from './details.js';
import {
  element,
  heldFor,
  holderOf,
  isolated,
  leftOf,
  PLACE,
  put,
  reasonOf,
  visible,
} from './text.js';

/** \`change\`: called when the user wants to change a profile. */
export function profilesTable(table, change) {
  const groups = new Map();
  const details = profileDetails();
  const columns = table.tHead.rows[0].cells.length;
  let order = '';
  let filter = '';
  let onlyPaused = false;
  let lost = null;

  function makeGroup(name) {
    const group = element('tbody');
    const head = element('th');
    head.scope = 'rowgroup';
    const opener = element('button', undefined, 'opener');
    opener.type = 'button';
    opener.append(isolated(visible(name)));
    opener.setAttribute('aria-expanded', 'false');
    head.append(opener);
    const [state, acks, act] = ['state', 'acks', 'act'].map((kind) =>
      element('td', undefined, kind),
    );
    const button = element('button', 'Change…');
    button.type = 'button';
    button.setAttribute('aria-label', \`Change \${name}\`);
    button.addEventListener('click', () => change(name));
    act.append(button);
    const first = holdRow();
    first.row.prepend(head, state, acks, act);
    group.append(first.row);
    const spanning = [head, state, acks, act];
    const known = {
      group,
      state,
      acks,
      button,
      spanning,
      rows: [first],
      said: '',
      holds: [],
      haystack: name,
      detail: null,
    };
    opener.addEventListener('click', () => toggle(known, name, opener));
    return known;
  }

  function toggle(known, name, opener) {
    opener.setAttribute('aria-expanded', String(known.detail === null));
    if (known.detail !== null) {
      known.detail.remove();
      known.detail = null;
      details.close(name);
      return;
    }
    const cell = element('td');
    cell.colSpan = columns;
    const node = details.open(name);
    node.id = \`details-\${name}\`;
    opener.setAttribute('aria-controls', node.id);
    cell.append(node);
    known.detail = element('tr');
    known.detail.append(cell);
    known.group.append(known.detail);
  }

  function holdRow() {
    const row = element('tr');
    const cells = ['reason', 'holder', 'time', 'time'].map((kind) =>
      element('td', undefined, kind),
    );
    row.append(...cells);
    return { row, cells };
  }

  function fill(known, { name, engaged, holds, acknowledged }) {
    const said = JSON.stringify([engaged, holds, acknowledged, lost]);
    if (known.said === said) return;
    const isHeld = engaged || lost !== null;
    Object.assign(known, { said, holds, paused: isHeld });
    known.group.className = isHeld ? 'paused' : 'running';
    put(known.state, isHeld ? heldText(holds, lost) : '▶ Running');
    put(known.acks, acknowledged);
    known.acks.classList.toggle('behind', acknowledged.startsWith('not'));
    const wanted = Math.max(1, holds.length);
    while (known.rows.length > wanted) known.rows.pop().row.remove();
    while (known.rows.length < wanted) {
      const more = holdRow();
      known.rows.push(more);
      known.group.insertBefore(more.row, known.detail);
    }
    for (const cell of known.spanning) cell.rowSpan = wanted;
    known.rows.forEach(({ cells: [reason, holder, age, left] }, at) => {
      const hold = holds[at];
      reason.replaceChildren(isolated(hold === undefined ? '' : reasonOf(hold)));
      holder.replaceChildren(isolated(hold === undefined ? '' : holderOf(hold)));
      if (hold !== undefined) return;
      put(age, '');
      put(left, '');
    });
    const texts = holds.map((hold) => \`\${reasonOf(hold)} \${holderOf(hold)}\`);
    known.haystack = [name, ...texts].join(' ').toLowerCase();
  }

  function sift() {
    let shown = 0;
    for (const { group, paused, haystack } of groups.values()) {
      const hidden = (onlyPaused && !paused) || !haystack.includes(filter);
      if (group.hidden !== hidden) group.hidden = hidden;
      if (!hidden) shown += 1;
    }
    return shown;
  }

  return {
    /**
     * Sorts paused profiles first, then by name. \`why\`: the fleet cannot be read; null: it can.
     * Answers how many are shown.
     */
    show(profiles, mayChange, why) {
      lost = why;
      details.lost(why);
      const sorted = [...profiles].sort(
        (a, b) => Number(b.engaged) - Number(a.engaged) || (a.name < b.name ? -1 : 1),
      );
      const names = new Set(profiles.map(({ name }) => name));
      for (const [name, { group }] of groups) {
        if (names.has(name)) continue;
        group.remove();
        groups.delete(name);
        details.close(name);
      }
      for (const profile of sorted) {
        if (!groups.has(profile.name)) groups.set(profile.name, makeGroup(profile.name));
        const known = groups.get(profile.name);
        fill(known, profile);
        if (known.button.hidden === mayChange) known.button.hidden = !mayChange;
      }
      const wanted = sorted.map(({ name }) => name);
      if (wanted.join(' ') !== order)
        arrange(
          table,
          wanted.map((name) => groups.get(name).group),
        );
      order = wanted.join(' ');
      return sift();
    },
    sift(text, paused) {
      filter = text.trim().toLowerCase();
      onlyPaused = paused;
      return sift();
    },
    tick(nowMs) {
      details.tick();
      for (const { group, rows, holds } of groups.values()) {
        if (group.hidden) continue;
        holds.forEach((hold, at) => {
          const [, , age, left] = rows[at].cells;
          put(age, heldFor(hold, nowMs));
          // The last known hold may still stand or not.
          put(left, lost === null ? leftOf(hold, nowMs) : 'unknown');
        });
      }
    },
  };
}

function heldText(holds, lost) {
  if (lost !== null) return '■ Counts as held: cannot be read';
  const from = [...new Set(holds.map(({ scope }) => PLACE[scope]))].join(' and ');
  return \`■ Paused (\${from || 'unreadable'})\`;
}

/** Moves only rows at a wrong position, so that focus and scrolling stay. */
function arrange(table, wanted) {
  // After the head of the table.
  let at = table.tHead.nextElementSibling;
  for (const group of wanted) {
    if (group === at) at = at.nextElementSibling;
    else table.insertBefore(group, at);
  }
}
`,
  'ledger.js': `/**
 * Renders a profile's refusals and work in hand.
 * Reading them, and access to names, is \`details.js\`.
 */
import { element, isolated, visible } from './text.js';

export const NEWEST = 5;

/** From a document of \`/v1/refusals\` for one profile. */
export function refusalsOf({ refused, refusals, profiles, people }) {
  const [profile] = profiles;
  const doors = profile?.doors.map((one) => \`\${visible(one.door)} \${one.refused}\`) ?? [];
  if (profile?.other_doors > 0) doors.push(\`other doors \${profile.other_doors}\`);
  const made = [paragraph(doors.length === 0 ? 'No refusal on record.' : doors.join(' · '))];
  const item = people === 'told' ? refusalItem : refusalItemWithoutName;
  if (refusals.length > 0) made.push(listOf(refusals.slice(0, NEWEST).map(item)));
  const left = refused - Math.min(NEWEST, refusals.length);
  if (left > 0) made.push(paragraph(\`and \${left} older ones.\`));
  if (refusals.length > 0 && people !== 'told') made.push(paragraph(NAMES_WITHHELD));
  if (profile?.cut) made.push(paragraph('Older ones exist and were not read.'));
  if (profile?.corrupt > 0) made.push(warning(\`Lines that are not receipts: \${profile.corrupt}.\`));
  if (profile?.unreadable != null) {
    made.push(warning(\`There may be more: \${visible(profile.unreadable)}\`));
  }
  return made;
}

function refusalItem({ at, door, principal }) {
  const who = principal === null ? 'unknown principal' : visible(principal);
  return itemOf(at, visible(door), who);
}

const refusalItemWithoutName = ({ at, door }) => itemOf(at, visible(door), '');

const NAMES_WITHHELD = 'Names are only shown with the token.';

const FATES = {
  running: 'running',
  unproven: 'unproven: its gateway is silent, and it counts as running',
  abandoned: 'abandoned: its process is gone',
};

/** From a document of \`/v1/profiles/NAME\`. */
export function workOf({ work }) {
  const { counts, read: seen, newest, unreadable, people } = work;
  const made = [];
  if (counts === null) made.push(warning(\`Not everything could be read. Read: \${seen}.\`));
  else made.push(paragraph(countsText(counts)));
  if (newest.length > 0) made.push(listOf(newest.slice(0, NEWEST).map(workItem)));
  const left = seen - Math.min(NEWEST, newest.length);
  if (left > 0) made.push(paragraph(\`and \${left} more.\`));
  if (newest.length > 0 && people !== 'told') made.push(paragraph(NAMES_WITHHELD));
  for (const { path, why } of unreadable) {
    made.push(warning(\`Cannot be read: \${visible(path)} (\${visible(why)})\`));
  }
  return made;
}

function countsText(counts) {
  const some = Object.keys(FATES).filter((fate) => counts[fate] > 0);
  return some.length === 0
    ? 'Nothing.'
    : some.map((fate) => \`\${counts[fate]} \${FATES[fate]}\`).join(' · ');
}

function workItem({ since, door, id, principal, fate }) {
  const where = door ?? 'an unreadable door';
  const what = visible(id === null ? where : \`\${where} \${id}\`);
  const who = principal === null ? [] : [\`for \${visible(principal)}\`];
  return itemOf(since, what, [...who, ...(fate === 'running' ? [] : [fate])].join(', '));
}

function itemOf(at, what, more) {
  const made = element('li');
  const date = new Date(at);
  const isTime = at !== null && !Number.isNaN(date.getTime());
  const time = element('time', isTime ? date.toLocaleString() : 'at an unknown time');
  if (isTime) time.dateTime = date.toISOString();
  made.append(time, ' ', isolated(what));
  if (more !== '') made.append(' · ', isolated(more));
  return made;
}

function listOf(items) {
  const made = element('ol');
  made.append(...items);
  return made;
}

function paragraph(text) {
  const made = element('p');
  made.append(isolated(text));
  return made;
}

function warning(text) {
  const made = paragraph(text);
  made.className = 'behind';
  return made;
}
`,
  'others.js': `/**
 * The gateways and the recent events.
 */
import { hasAcknowledged, isCurrent } from './standing.js';
import { element, isolated, put, span, visible } from './text.js';

const LINKS = {
  connected: 'Connected, not all acknowledged',
  acknowledged: 'Acknowledged',
  stale: 'Stale: silent',
  gone: 'Gone',
};
const MAX_NAMED = 4;

/** The acknowledged revision of each profile, and the newest one. */
function acknowledgedText({ profiles }, revisions) {
  if (profiles.length > MAX_NAMED) {
    const current = profiles.filter((served) => isCurrent(served, revisions)).length;
    return \`\${current} of \${profiles.length} profiles at their newest\`;
  }
  return profiles
    .map((served) => {
      const said = served.acknowledged === null ? 'nothing yet' : served.acknowledged;
      const wanted = revisions.get(served.name);
      const behind = isCurrent(served, revisions) ? '' : \` (newest is \${wanted ?? 'unknown'})\`;
      return \`\${visible(served.name)}: \${said}\${behind}\`;
    })
    .join(' · ');
}

function linkText(gateway, revisions, lost) {
  const { link } = gateway;
  if (link !== 'acknowledged') return LINKS[link] ?? visible(link);
  if (lost !== null) return 'Connected';
  return hasAcknowledged(gateway, revisions) ? LINKS.acknowledged : LINKS.connected;
}

export function gatewaysTable(body) {
  const rows = new Map();
  function makeRow() {
    const row = element('tr');
    const head = element('th');
    head.scope = 'row';
    const cells = Array.from({ length: 5 }, () => element('td'));
    row.append(head, ...cells);
    body.append(row);
    return { row, head, cells };
  }
  return {
    /** \`lost\`: why the fleet cannot be read; then acknowledgements mean nothing. */
    show(gateways, revisions, lost) {
      const keys = new Set();
      for (const gateway of gateways) {
        const key = \`\${gateway.instance} \${gateway.pid} \${gateway.connected_at}\`;
        keys.add(key);
        if (!rows.has(key)) rows.set(key, makeRow());
        const known = rows.get(key);
        const { head, cells } = known;
        known.seenMs = Date.parse(gateway.last_seen_at);
        const sum = (field) => String(gateway.profiles.reduce((all, one) => all + one[field], 0));
        put(
          head,
          \`\${visible(gateway.instance)} (\${visible(gateway.software)}, pid \${gateway.pid})\`,
        );
        const text = linkText(gateway, revisions, lost);
        put(cells[0], text);
        cells[0].classList.toggle('behind', text !== LINKS.acknowledged);
        put(cells[1], lost === null ? acknowledgedText(gateway, revisions) : 'not known');
        put(cells[2], sum('in_flight'));
        put(cells[3], sum('refused'));
      }
      for (const [key, { row }] of rows) {
        if (keys.has(key)) continue;
        row.remove();
        rows.delete(key);
      }
    },
    tick(nowMs) {
      for (const { cells, seenMs } of rows.values()) put(cells[4], \`\${span(nowMs - seenMs)} ago\`);
    },
  };
}

const GAPS = {
  'another-run': 'The watcher was restarted; events in between are not known here.',
  'too-old': 'Some events are missing here.',
  'not-understood': 'Some events may be missing here.',
};

export function eventsList(list) {
  const known = new Map();
  function item(event) {
    const made = element('li');
    if (event.gap !== undefined) {
      made.textContent = GAPS[event.gap] ?? GAPS['not-understood'];
      return made;
    }
    const time = element('time', new Date(event.time).toLocaleTimeString());
    time.dateTime = event.time;
    made.append(
      time,
      \` \${visible(event.type)} \`,
      isolated(visible(event.subject)),
      ' ',
      isolated(aboutOf(event)),
    );
    return made;
  }
  return {
    /** Newest first. */
    show(events) {
      const ids = new Set(events.map(({ id }) => id));
      for (const [id, made] of known) {
        if (ids.has(id)) continue;
        made.remove();
        known.delete(id);
      }
      for (const event of events) {
        if (known.has(event.id)) continue;
        const made = item(event);
        known.set(event.id, made);
        list.prepend(made);
      }
    },
  };
}

function aboutOf({ data }) {
  const { hold, profile, revision, latency_ms: latency, why } = data;
  if (hold !== undefined) {
    const holder = hold.holder === null ? '' : \` by \${hold.holder}\`;
    return visible(\`\${hold.reason ?? ''}\${holder}\`);
  }
  if (latency !== undefined) return visible(\`\${profile} at revision \${revision}, in \${latency} ms\`);
  return typeof why === 'string' ? visible(why) : '';
}
`,
  'page.html': `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>fleet</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/dashboard/style.css">
<script type="module" src="/dashboard/script.js"></script>
</head>
<body>
<a class="skip" href="#profiles">Skip to the profiles</a>
<header>
<h1>fleet <span id="root"></span></h1>
<p id="freshness">Connecting…</p>
<button type="button" id="token-open">Token…</button>
<button type="button" id="fleet-change" hidden>Whole fleet…</button>
</header>
<p id="summary"></p>
<p id="announced" class="unseen" role="status" aria-live="polite"></p>
<div id="alerts" role="alert"></div>
<noscript><p class="alert">This page needs JavaScript. Use /v1/state or fleet status instead.</p></noscript>
<main>
<section aria-labelledby="profiles-title" id="profiles" tabindex="-1">
<div class="bar">
<h2 id="profiles-title">Profiles</h2>
<label>Filter <input id="filter" type="search" autocomplete="off" spellcheck="false" aria-keyshortcuts="/"></label>
<label><input id="only-paused" type="checkbox"> Only paused</label>
<span id="profiles-count"></span>
</div>
<div id="shared"></div>
<!-- biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard -->
<section class="scroll" aria-labelledby="profiles-title" tabindex="0">
<table id="profile-rows">
<thead><tr>
<th scope="col">Profile</th><th scope="col">State</th><th scope="col">Acknowledged</th>
<th scope="col" class="act"><span class="unseen">Change</span></th><th scope="col">Reason</th>
<th scope="col">Holder</th><th scope="col">Held for</th><th scope="col">Time left</th>
</tr></thead>
</table>
</section>
</section>
<section aria-labelledby="gateways-title">
<h2 id="gateways-title">Gateways</h2>
<p id="no-gateways" hidden>No gateway is connected, so no hold is acknowledged.</p>
<!-- biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard -->
<section class="scroll" aria-labelledby="gateways-title" tabindex="0">
<table>
<thead><tr>
<th scope="col">Gateway</th><th scope="col">Link</th><th scope="col">Acknowledged revision</th>
<th scope="col">In flight</th><th scope="col">Refused</th><th scope="col">Last message</th>
</tr></thead>
<tbody id="gateway-rows"></tbody>
</table>
</section>
</section>
<section aria-labelledby="events-title">
<h2 id="events-title">Recent events</h2>
<!-- biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard -->
<section class="scroll" aria-labelledby="events-title" tabindex="0"><ol id="events"></ol></section>
</section>
</main>
<dialog id="change" aria-labelledby="change-title">
<h2 id="change-title">Change</h2>
<ul id="change-holds"></ul>
<form id="change-form" method="dialog">
<label>Reason <input id="change-reason" required maxlength="1024" autocomplete="off"></label>
<label>Your name <input id="change-holder" required maxlength="64" autocomplete="off" aria-describedby="holder-hint"></label>
<small id="holder-hint">Holds and lifts carry this name. Your earlier hold in the same scope is replaced.</small>
<label>For <input id="change-ttl" placeholder="until lifted" autocomplete="off" aria-describedby="ttl-hint"></label>
<small id="ttl-hint">Such as 45m, 2h or 1h30m. Empty: an earlier hold of yours keeps its deadline.</small>
<div id="change-replaces" role="status"></div>
<p class="said" id="change-said" role="status"></p>
<p class="buttons"><button type="submit" id="change-pause">Pause</button>
<button type="button" class="close">Close</button></p>
</form>
</dialog>
<dialog id="token" aria-labelledby="token-title">
<h2 id="token-title">Token for changes and names</h2>
<form id="token-form" method="dialog">
<label>Content of .fleet/token <input id="token-text" type="password" autocomplete="off" spellcheck="false"></label>
<small>Kept in this tab until it is closed. Leave it empty to forget it.</small>
<p class="said" id="token-said" role="status"></p>
<p class="buttons"><button type="submit">Use</button> <button type="button" class="close">Close</button></p>
</form>
</dialog>
</body>
</html>
`,
  'replaces.js': `/**
 * Shows what a pause would replace before it is written, and checks the input of the dialog.
 */
import { element, isolated, visible } from './text.js';

/** Why this is not a duration; '': it is one, or empty. A number alone would be seconds. */
export const mistakeIn = (ttl) =>
  /^\\d+$/.test(ttl)
    ? \`\${ttl} of what? Write \${ttl}m for minutes, \${ttl}h for hours or \${ttl}s for seconds. Nothing was changed.\`
    : '';

const endOf = ({ expires_at }) =>
  expires_at === null ? 'until it is lifted' : \`until \${visible(expires_at)}\`;

function passing({ allow_users, allow_profiles }) {
  if (allow_users === null || allow_users.length === 0) return 'nobody may pass';
  const where =
    allow_profiles === null ? '' : \`, only in \${allow_profiles.map(visible).join(', ')}\`;
  return \`may pass: \${allow_users.map(visible).join(', ')}\${where}\`;
}

const termsOf = (terms) =>
  \`\${visible(terms.reason ?? 'no reason')}; \${endOf(terms)}; \${passing(terms)}\`;

/** One line about the replaced hold. */
export const replacedText = (before) =>
  \`It replaced the hold of \${visible(before.holder ?? 'nobody named')}: \${termsOf(before)}.\`;

/** Nodes for the old hold, the new hold, and what becomes looser. */
export function comparison({ replaced_hold: before, hold, warnings }) {
  const list = element('dl');
  for (const [name, terms] of [
    ['Stands now', before],
    ['Would stand', hold],
  ]) {
    const said = element('dd');
    said.append(isolated(termsOf(terms)));
    list.append(element('dt', name), said);
  }
  const title = element('p', \`\${visible(before.holder)} has a hold here. Pausing replaces it:\`);
  return [title, list, ...warnings.map((warning) => element('p', \`! \${visible(warning)}\`, 'said'))];
}
`,
  'script.js': `/**
 * The dashboard: renders what the feed sends, and shows when it is out of date.
 */
import { alertsIn } from './alerts.js';
import { announcer } from './announce.js';
import { changes } from './change.js';
import { profilesTable } from './lanes.js';
import { eventsList, gatewaysTable } from './others.js';
import { share } from './share.js';
import { acknowledgements, lostBecause, revisionsOf, summaryOf } from './standing.js';
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
    const acknowledged = acknowledgements(state);
    const lost = lostBecause(state);
    const mayChange = change.mayChange();
    shown = profiles.show(
      state.profiles.map(({ name, engaged }) => ({
        name,
        engaged,
        holds: engaged ? holdsOf(name) : [],
        acknowledged: acknowledged.get(name),
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
  const heard = link.heardAt === 0 ? '' : \`, last message \${span(Date.now() - link.heardAt)} ago\`;
  if (stale) return \`Not connected\${heard}\`;
  if (state === null) return 'Connecting…';
  const how = link.live ? 'Live' : \`Not live: polls every \${link.asking.everyMs / 1_000} s\`;
  return \`\${how}, revision \${state.revision}\`;
}

/** Updated together with the rows, so that the page is consistent. */
function showTimes(stale) {
  const nowMs = now();
  profiles.tick(nowMs);
  gateways.tick(nowMs);
  showShared(nowMs);
  const paused = state.profiles.filter(({ engaged }) => engaged).length;
  put(byId('profiles-count'), \`\${shown} of \${state.profiles.length} shown\`);
  put(document.head.querySelector('title'), \`\${titleMark(stale, paused)}fleet\`);
  const summary = \`\${stale ? 'Last known: ' : ''}\${summaryOf(state)}\`;
  put(byId('summary'), summary);
  // The last announcement is no longer true.
  if (stale !== wasStale) announce.sayNow(summary);
  else announce.say(summary);
}

function titleMark(stale, paused) {
  if (stale) return '⚠ stale — ';
  if (lostBecause(state) !== null) return '⚠ cannot be read — ';
  return paused > 0 ? \`(\${paused} paused) \` : '';
}

function showShared(nowMs) {
  // The placeholder hold of an unreadable fleet is already an alert.
  const isLost = lostBecause(state) !== null;
  const holds = holdsOf(null).filter(({ unreadable }) => !isLost || unreadable === null);
  const texts = holds.map(
    (hold) =>
      \`Paused, \${PLACE[hold.scope]}: \${reasonOf(hold)} — \${holderOf(hold)}, for \${heldFor(hold, nowMs)}, left: \${leftOf(hold, nowMs)}\`,
  );
  if (sharedSaid === texts.join('\\n')) return;
  sharedSaid = texts.join('\\n');
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
`,
  'share.js': `/**
 * Shares one feed among the tabs of a browser: through a shared worker; else through one leading
 * tab; else each tab has its own.
 */
import { follow } from './feed.js';

/** A worker sends a message at its start; without one it cannot run here. */
const WORKER_MS = 4_000;

/** \`take\` gets every message of the feed. Answers how to make it look now. */
export function share(take) {
  let current = byWorker(take, () => {
    current = byLeader(take);
  });
  return { look: () => current.look() };
}

function byWorker(take, failed) {
  if (typeof SharedWorker === 'undefined') return orElse(failed);
  let worker;
  try {
    worker = new SharedWorker('/dashboard/feed-worker.js', { type: 'module', name: 'fleet' });
  } catch {
    return orElse(failed);
  }
  let given = false;
  const giveUp = () => {
    if (given) return;
    given = true;
    worker.port.close();
    failed();
  };
  const late = setTimeout(giveUp, WORKER_MS);
  worker.addEventListener('error', giveUp);
  worker.port.addEventListener('message', ({ data }) => {
    clearTimeout(late);
    if (!given) take(data);
  });
  worker.port.start();
  worker.port.postMessage('hello');
  addEventListener('pagehide', () => worker.port.postMessage('bye'));
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) worker.port.postMessage('hello');
  });
  return { look: () => worker.port.postMessage('look') };
}

/** A placeholder: the replacement is only known after \`failed\`. */
function orElse(failed) {
  queueMicrotask(failed);
  return { look() {} };
}

function byLeader(take) {
  if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') return follow(take);
  const channel = new BroadcastChannel('fleet');
  let feed = null;
  channel.addEventListener('message', ({ data }) => {
    if (data === 'hello') feed?.everything();
    else if (data === 'look') feed?.look();
    else if (feed === null) take(data);
  });
  // Held until this tab closes; then another one leads.
  navigator.locks.request('fleet', () => {
    feed = follow((message) => {
      take(message);
      channel.postMessage(message);
    });
    return new Promise(() => {});
  });
  channel.postMessage('hello');
  return {
    look() {
      if (feed === null) channel.postMessage('look');
      else feed.look();
    },
  };
}
`,
  'standing.js': `/**
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
  return current === all ? \`all \${all}\` : \`not all: \${current} of \${all}\`;
}

export function summaryOf(state) {
  const profiles = state.profiles.length;
  const why = lostBecause(state);
  if (why !== null) {
    return \`The fleet cannot be read (\${visible(why)}): \${profiles} profiles count as held; what gateways have applied is unknown.\`;
  }
  const paused = state.profiles.filter(({ engaged }) => engaged).length;
  return \`\${paused} of \${profiles} profiles paused; \${gatewaysText(state)}.\`;
}

function gatewaysText(state) {
  const here = state.gateways.filter(({ link }) => link !== 'gone');
  if (here.length === 0) return 'no gateway is connected';
  const revisions = revisionsOf(state);
  const acknowledged = here.filter((gateway) => hasAcknowledged(gateway, revisions)).length;
  const count = \`\${acknowledged} of \${here.length} gateways have acknowledged the state\`;
  const unserved = unservedIn(state, here);
  if (unserved === 0) return count;
  return \`\${count}; no gateway serves \${unserved} of \${state.profiles.length} profiles\`;
}

/** Acknowledgements say nothing about a profile that no gateway serves. */
function unservedIn({ profiles }, here) {
  const served = new Set(here.flatMap((gateway) => gateway.profiles.map(({ name }) => name)));
  return profiles.filter(({ name }) => !served.has(name)).length;
}
`,
  'style.css': `:root {
  color-scheme: light dark;
  --ground: #fff;
  --raised: #f4f5f7;
  --line: #d5d8de;
  --text: #1b1e24;
  --faint: #59606d;
  --paused: #a3260f;
  --paused-ground: #fdecea;
  --running: #14602f;
  --warning: #6b4700;
  --warning-ground: #fff4d6;
  --accent: #0b57b5;
}

@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14161a;
    --raised: #1e2127;
    --line: #363b45;
    --text: #e8eaee;
    --faint: #a3abba;
    --paused: #ff9c8a;
    --paused-ground: #3a1a15;
    --running: #7fd69a;
    --warning: #ffd479;
    --warning-ground: #3a2f12;
    --accent: #8ab8ff;
  }
}

* {
  box-sizing: border-box;
}

body {
  margin: 0 auto;
  max-width: 90rem;
  padding: 0 1rem 2rem;
  background: var(--ground);
  color: var(--text);
  font:
    0.9375rem / 1.45 system-ui,
    sans-serif;
}

header,
.bar {
  display: flex;
  flex-wrap: wrap;
  align-items: baseline;
  gap: 0.4rem 1rem;
}

h1 {
  font-size: 1.3rem;
}

h1 span {
  font-weight: normal;
  color: var(--faint);
  overflow-wrap: anywhere;
}

h2 {
  font-size: 1.05rem;
  margin: 0.8rem 0 0.4rem;
}

#freshness {
  color: var(--faint);
  margin-right: auto;
}

#summary {
  font-size: 1.05rem;
  margin: 0;
}

.alert,
.hold {
  margin: 0.5rem 0;
  padding: 0.5rem 0.8rem;
  border-left: 0.3rem solid var(--warning);
  background: var(--warning-ground);
  color: var(--warning);
  overflow-wrap: anywhere;
}

.hold {
  border-color: var(--paused);
  background: var(--paused-ground);
  color: var(--paused);
}

.loud {
  border-left-width: 0.6rem;
  border-color: var(--paused);
  background: var(--paused-ground);
  color: var(--paused);
  font-size: 1.15rem;
  font-weight: 600;
}

.scroll {
  max-height: 60vh;
  overflow: auto;
  border: 1px solid var(--line);
  border-radius: 0.3rem;
  contain: paint;
}

.stale .scroll,
.stale #shared {
  opacity: 0.7;
}

table {
  width: 100%;
  border-collapse: collapse;
}

th,
td {
  padding: 0.25rem 0.6rem;
  border-bottom: 1px solid var(--line);
  text-align: left;
  vertical-align: top;
  overflow-wrap: break-word;
}

thead th {
  position: sticky;
  top: 0;
  background: var(--raised);
  color: var(--faint);
  font-weight: 600;
}

thead th,
.time {
  white-space: nowrap;
  font-variant-numeric: tabular-nums;
}

.reason {
  min-width: 12rem;
  max-width: 34rem;
}

tbody th {
  min-width: 7rem;
  max-width: 16rem;
}

.state {
  min-width: 10rem;
}

.paused .state,
.behind {
  color: var(--paused);
  font-weight: 600;
}

.running .state {
  color: var(--running);
}

.opener {
  padding: 0;
  border: 0;
  background: none;
  font-weight: inherit;
  text-align: left;
  white-space: normal;
  overflow-wrap: anywhere;
}

.opener::before {
  content: "";
  display: inline-block;
  margin-right: 0.4rem;
  border: 0.3rem solid transparent;
  border-right-width: 0;
  border-left-color: var(--faint);
}

.opener[aria-expanded="true"]::before {
  transform: rotate(90deg);
}

ol {
  overflow-wrap: anywhere;
  margin: 0;
  padding: 0.3rem 0.8rem;
  list-style: none;
}

time,
small {
  color: var(--faint);
}

time {
  font-variant-numeric: tabular-nums;
}

input,
button {
  font: inherit;
  color: inherit;
  background: var(--ground);
  border: 1px solid var(--faint);
  border-radius: 0.25rem;
  padding: 0.15rem 0.5rem;
}

button {
  white-space: nowrap;
  background: var(--raised);
  cursor: pointer;
}

:focus-visible {
  outline: 0.15rem solid var(--accent);
  outline-offset: 0.1rem;
}

dialog {
  width: min(36rem, 95vw);
  color: inherit;
  background: var(--ground);
  border: 1px solid var(--line);
  border-radius: 0.4rem;
}

dialog label {
  display: block;
  margin: 0.5rem 0 0.1rem;
}

dialog label input {
  display: block;
  width: 100%;
}

dialog ul {
  padding: 0;
  list-style: none;
}

dialog li {
  display: flex;
  justify-content: space-between;
  gap: 1rem;
  padding: 0.2rem 0;
  border-bottom: 1px solid var(--line);
}

.said {
  min-height: 1.4em;
  color: var(--warning);
}

/* In sight, however far the table is scrolled. */
.details {
  position: sticky;
  left: 0.6rem;
  display: flex;
  flex-wrap: wrap;
  gap: 0 2rem;
  max-width: calc(min(90rem, 100vw) - 4rem);
  padding: 0.2rem 0.6rem 0.5rem;
  background: var(--raised);
  border-radius: 0.3rem;
}

.details section {
  flex: 1 1 18rem;
  min-width: 0;
}

.details h3 {
  font-size: 1em;
  margin: 0.3rem 0;
}

.details p,
.details ol {
  margin: 0;
  padding: 0;
  overflow-wrap: anywhere;
}

.details .said:empty {
  min-height: 0;
}

.skip,
.unseen {
  position: absolute;
  clip-path: inset(50%);
  width: 1px;
  height: 1px;
  overflow: hidden;
}

.skip:focus {
  position: static;
  clip-path: none;
  width: auto;
  height: auto;
}
`,
  'text.js': `/**
 * Texts for people. Text from files is data: it is never markup, and invisible characters are
 * shown.
 */
const HIDDEN = /[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\u115f\\u1160\\u3164\\uffa0]|\\u034f/gu;

export const visible = (text) =>
  String(text).replace(HIDDEN, (found) => \`\\\\u{\${found.codePointAt(0).toString(16)}}\`);

const UNITS = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'm'],
  [1, 's'],
];

/** The two largest units, so that most of a thousand texts stay the same from second to second. */
export function span(ms) {
  let seconds = Math.max(0, Math.floor(ms / 1_000));
  const first = UNITS.findIndex(([size]) => seconds >= size);
  if (first === -1) return '0s';
  const parts = UNITS.slice(first, first + 2).map(([size, unit]) => {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    return \`\${count}\${unit}\`;
  });
  return parts.filter((part, at) => at === 0 || !part.startsWith('0')).join(' ');
}

export function heldFor({ since }, nowMs) {
  const ms = since === null ? Number.NaN : Date.parse(since);
  return Number.isNaN(ms) ? 'unknown' : span(nowMs - ms);
}

export function leftOf({ expires_at, expires_at_ms, unreadable }, nowMs) {
  if (expires_at_ms !== null) return expires_at_ms > nowMs ? span(expires_at_ms - nowMs) : 'over';
  if (expires_at === null && unreadable !== null) return 'unknown';
  return expires_at === null ? 'until lifted' : 'until lifted (unreadable deadline)';
}

export const reasonOf = ({ reason, unreadable }) =>
  unreadable !== null ? \`cannot be read: \${visible(unreadable)}\` : visible(reason ?? '—');

export const holderOf = ({ holder }) => visible(holder ?? 'unsigned');

/** Where a scope applies. */
export const PLACE = {
  profile: 'this profile',
  root: 'the whole fleet',
  cluster: 'the whole cluster',
};

/** An element with text content, never markup. */
export function element(name, text, className = '') {
  const made = document.createElement(name);
  if (className !== '') made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}

/** Writes only changes: a thousand cells are compared, and few are touched. */
export function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

export const isolated = (text) => element('bdi', text);
`,
} as const;
