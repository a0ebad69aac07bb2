// @ts-nocheck
/**
 * The table of lanes: one group of rows per lane, one row per hold. A group is made once, and written
 * to only where it says something new.
 */
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

/** `change`: somebody wants to change this lane. */
export function lanesTable(table, change) {
  const groups = new Map();
  let order = '';
  let filter = '';
  let onlyPaused = false;

  function makeGroup(name) {
    const group = element('tbody');
    const head = element('th');
    head.scope = 'rowgroup';
    head.append(isolated(visible(name)));
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
    return {
      group,
      state,
      acks,
      button,
      spanning,
      rows: [first],
      said: '',
      holds: [],
      haystack: name,
    };
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
    const said = JSON.stringify([engaged, holds, acknowledged]);
    if (known.said === said) return;
    Object.assign(known, { said, holds, paused: engaged });
    known.group.className = engaged ? 'paused' : 'running';
    const from = [...new Set(holds.map(({ scope }) => PLACE[scope]))].join(' and ');
    put(known.state, engaged ? `■ Paused (${from || 'unreadable'})` : '▶ Running');
    put(known.acks, acknowledged);
    known.acks.classList.toggle('behind', acknowledged.startsWith('not'));
    const wanted = Math.max(1, holds.length);
    while (known.rows.length > wanted) known.rows.pop().row.remove();
    while (known.rows.length < wanted) {
      const more = holdRow();
      known.rows.push(more);
      known.group.append(more.row);
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
    /** Paused ones first, by name within each. Answers how many are shown. */
    show(lanes, mayChange) {
      const sorted = [...lanes].sort(
        (a, b) => Number(b.engaged) - Number(a.engaged) || (a.name < b.name ? -1 : 1),
      );
      const names = new Set(lanes.map(({ name }) => name));
      for (const [name, { group }] of groups) {
        if (names.has(name)) continue;
        group.remove();
        groups.delete(name);
      }
      for (const lane of sorted) {
        if (!groups.has(lane.name)) groups.set(lane.name, makeGroup(lane.name));
        const known = groups.get(lane.name);
        fill(known, lane);
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
      for (const { group, rows, holds } of groups.values()) {
        if (group.hidden) continue;
        holds.forEach((hold, at) => {
          const [, , age, left] = rows[at].cells;
          put(age, heldFor(hold, nowMs));
          put(left, leftOf(hold, nowMs));
        });
      }
    },
  };
}

/** Moves only what stands elsewhere, so that focus and scrolling stay where they are. */
function arrange(table, wanted) {
  // After the head of the table.
  let at = table.tHead.nextElementSibling;
  for (const group of wanted) {
    if (group === at) at = at.nextElementSibling;
    else table.insertBefore(group, at);
  }
}
