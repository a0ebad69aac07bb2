// @ts-nocheck
/**
 * The table of profiles: one group of rows per profile, one row per hold, and one for open details.
 * A group is created once, and updated only where something changed.
 */
import { profileDetails } from './details.js';
import { acknowledgementText, isBehind } from './standing.js';
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

/** `change`: called when the user wants to change a profile. */
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
    button.setAttribute('aria-label', `Change ${name}`);
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
    node.id = `details-${name}`;
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

  function fill(known, { name, engaged, holds, acknowledgement }) {
    const said = JSON.stringify([engaged, holds, acknowledgement, lost]);
    if (known.said === said) return;
    const isHeld = engaged || lost !== null;
    Object.assign(known, { said, holds, paused: isHeld });
    known.group.className = isHeld ? 'paused' : 'running';
    put(known.state, isHeld ? heldText(holds, lost) : '▶ Running');
    put(known.acks, acknowledgementText(acknowledgement));
    known.acks.classList.toggle('behind', isBehind(acknowledgement));
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
    const texts = holds.map((hold) => `${reasonOf(hold)} ${holderOf(hold)}`);
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
     * Sorts paused profiles first, then by name. `why`: the fleet cannot be read; null: it can.
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
  return `■ Paused (${from || 'unreadable'})`;
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
