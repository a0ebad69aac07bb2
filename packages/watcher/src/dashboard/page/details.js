// @ts-nocheck
/**
 * Refusals and work in hand of an open profile, read when it is opened and every few seconds.
 * Unreadable data is reported as such, and never shown as none.
 * Names need the token, which `change.js` keeps. Rendering is `ledger.js`; the table is `lanes.js`.
 */
import { authorization } from './change.js';
import { NEWEST, refusalsOf, workOf } from './ledger.js';
import { element, put, span, visible } from './text.js';

const EVERY_MS = 3_000;
const READ_MS = 10_000;

/** Answers the document at `path`, or why it is not available. */
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
  return { why: WHY[code] ?? WHY[status] ?? `the watcher could not answer (${status})` };
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
    path: (name) => `/v1/refusals?profile=${encodeURIComponent(name)}&limit=${NEWEST}`,
    nodesOf: refusalsOf,
  },
  {
    title: 'Work in hand',
    path: (name) => `/v1/profiles/${encodeURIComponent(name)}`,
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
    part.why = `the fleet cannot be read (${visible(unreadable)})`;
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
      node.setAttribute('aria-label', `Details of ${visible(name)}`);
      const parts = PARTS.map(makePart);
      node.append(...parts.map((part) => part.node));
      shown.set(name, { parts, reading: false });
      void refresh(name);
      return node;
    },
    /** `why`: the fleet cannot be read; null: it can. */
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
  const text = why === undefined ? (readAt === 0 ? 'Reading…' : '') : `Unknown: ${why}.`;
  put(said, text);
  const past = why === undefined ? 'Read from disk' : 'Shown as read from disk';
  put(age, readAt === 0 ? '' : `${past} ${span(Date.now() - readAt)} ago.`);
}

/** Replaced only if it changed, so that a user's selection stays. */
function show({ body, nodesOf }, found) {
  const made = element('div');
  made.append(...nodesOf(found));
  if (!made.isEqualNode(body.firstChild)) body.replaceChildren(made);
}
