// @ts-nocheck
/**
 * The gateways and the recent events.
 */
import { hasAcknowledged } from './standing.js';
import { element, isolated, put, span, visible } from './text.js';

const LINKS = {
  connected: 'Connected, not all acknowledged',
  acknowledged: 'Acknowledged',
  stale: 'Stale: silent',
  gone: 'Gone',
};
const MAX_NAMED = 4;

const isCurrent = ({ standing }) => standing === 'acknowledged';

/** The acknowledged revision of each profile, and the newest one. */
function acknowledgedText({ profiles }, revisions) {
  if (profiles.length > MAX_NAMED) {
    const current = profiles.filter(isCurrent).length;
    return `${current} of ${profiles.length} profiles at their newest`;
  }
  return profiles
    .map((served) => {
      const said = served.acknowledged === null ? 'nothing yet' : served.acknowledged;
      const wanted = revisions.get(served.name);
      const behind = isCurrent(served) ? '' : ` (newest is ${wanted ?? 'unknown'})`;
      return `${visible(served.name)}: ${said}${behind}`;
    })
    .join(' · ');
}

function linkText(gateway, lost) {
  const { link } = gateway;
  if (link !== 'acknowledged') return LINKS[link] ?? visible(link);
  if (lost !== null) return 'Connected';
  return hasAcknowledged(gateway) ? LINKS.acknowledged : LINKS.connected;
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
    /** `lost`: why the fleet cannot be read; then acknowledgements mean nothing. */
    show(gateways, revisions, lost) {
      const keys = new Set();
      for (const gateway of gateways) {
        const key = `${gateway.instance} ${gateway.pid} ${gateway.connected_at}`;
        keys.add(key);
        if (!rows.has(key)) rows.set(key, makeRow());
        const known = rows.get(key);
        const { head, cells } = known;
        known.seenMs = Date.parse(gateway.last_seen_at);
        const sum = (field) => String(gateway.profiles.reduce((all, one) => all + one[field], 0));
        put(
          head,
          `${visible(gateway.instance)} (${visible(gateway.software)}, pid ${gateway.pid})`,
        );
        const text = linkText(gateway, lost);
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
      for (const { cells, seenMs } of rows.values()) put(cells[4], `${span(nowMs - seenMs)} ago`);
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
      ` ${visible(event.type)} `,
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
    const holder = hold.holder === null ? '' : ` by ${hold.holder}`;
    return visible(`${hold.reason ?? ''}${holder}`);
  }
  if (latency !== undefined) return visible(`${profile} at revision ${revision}, in ${latency} ms`);
  return typeof why === 'string' ? visible(why) : '';
}
