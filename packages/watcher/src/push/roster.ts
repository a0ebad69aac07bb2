/**
 * The gateways as the store shows them, and what is recorded about them.
 * Many changes at once are one publication: a thousand acknowledgements must not make a thousand
 * lists of a thousand gateways.
 */
import type { EventType } from '../state/event-log.ts';
import type { GatewayView, LinkState } from '../state/gateway-view.ts';
import type { Store } from '../state/store.ts';
import { type Claim, isBack } from './claim.ts';
import type { GatewayLink } from './gateway-link.ts';

export interface Roster {
  /** Shown with the next publication, whenever that is. */
  changed(link: GatewayLink): void;
  /**
   * Shown, and recorded, at the end of this turn, or of many gateways some milliseconds after the last
   * time. What is shown late is only ever too little.
   */
  publishSoon(): void;
  /** Shown before anybody else has a turn: it takes something back that was claimed before. */
  publishNow(): void;
  record(type: EventType, link: GatewayLink, data: { readonly [key: string]: unknown }): void;
  /** It is shown as gone from now on, until it comes again or `maxGone` others are gone as well. */
  gone(link: GatewayLink): void;
  /** Whoever of those that are gone this is, is here again. */
  returned(claim: Claim): void;
  close(): void;
}

export interface RosterOptions {
  readonly store: Store;
  readonly maxGone: number;
  /** How many can be connected at once. */
  readonly maxLinks: number;
  readonly steadyMs: () => number;
  readonly stateOf: (link: GatewayLink) => LinkState;
  /** After each publication. */
  readonly published: () => void;
}

/**
 * Who went away a moment ago may be about to come back: where a thousand do so at once, none is
 * forgotten as long as somebody may wait for it. More than can be connected cannot come back.
 */
const RETURNING_MS = 10_000;

/**
 * Of a thousand acknowledgements each comes in a turn of its own, and would make a list of a thousand:
 * so they wait for each other, 10 ms of a thousand, and not at all of a few.
 */
const PAUSE_PER_GATEWAY_MS = 0.01;

interface Gone {
  readonly claim: Claim | null;
  readonly view: GatewayView;
  readonly sinceMs: number;
}

export function roster(options: RosterOptions): Roster {
  const { store, maxGone, maxLinks, steadyMs, stateOf, published } = options;
  const views = new Map<GatewayLink, GatewayView>();
  const dirty = new Set<GatewayLink>();
  /** The oldest first. */
  let gone: Gone[] = [];
  let events: Parameters<Store['record']>[] = [];
  let listChanged = false;
  let due: NodeJS.Immediate | undefined;
  let later: NodeJS.Timeout | undefined;
  let publishedMs = Number.NEGATIVE_INFINITY;
  let closed = false;

  const forget = (): void => {
    const returning = gone.findIndex(({ sinceMs }) => steadyMs() - sinceMs < RETURNING_MS);
    const old = returning === -1 ? gone.length : returning;
    const surplus = Math.max(old, gone.length - maxLinks) - maxGone;
    if (surplus <= 0) return;
    gone = gone.slice(surplus);
    listChanged = true;
  };

  const publish = (): void => {
    clearImmediate(due);
    due = undefined;
    clearTimeout(later);
    later = undefined;
    forget();
    if (closed || (dirty.size === 0 && events.length === 0 && !listChanged)) return;
    for (const link of dirty) views.set(link, link.view(stateOf(link)));
    dirty.clear();
    listChanged = false;
    const recorded = events;
    events = [];
    publishedMs = steadyMs();
    // The list first: whoever hears of an acknowledgement finds it there.
    store.setGateways([...views.values(), ...gone.map(({ view }) => view)]);
    for (const event of recorded) store.record(...event);
    published();
  };

  return {
    changed: (link) => void dirty.add(link),
    publishSoon() {
      if (due !== undefined || later !== undefined) return;
      const pauseMs = publishedMs + views.size * PAUSE_PER_GATEWAY_MS - steadyMs();
      if (pauseMs >= 1) later = setTimeout(publish, pauseMs);
      else due = setImmediate(publish);
    },
    // Not within the store's own publication, which must not be called back.
    publishNow: () => queueMicrotask(publish),
    record(type, link, data) {
      const { instance = '?', pid = 0 } = link.hello() ?? {};
      events.push([type, `gateway/${instance}`, { instance, pid, ...data }]);
    },
    gone(link) {
      views.delete(link);
      dirty.delete(link);
      gone.push({ claim: link.hello(), view: link.view('gone'), sinceMs: steadyMs() });
      listChanged = true;
    },
    returned(back) {
      gone = gone.filter(({ claim }) => claim === null || !isBack(claim, back));
      listChanged = true;
    },
    close() {
      closed = true;
      clearImmediate(due);
      clearTimeout(later);
    },
  };
}
