/**
 * The list of gateways in the store, and the events about them.
 * Many changes are published at once: a thousand acknowledgements must not make a thousand lists of
 * a thousand gateways.
 */
import type { EventType, GatewayView, LinkState } from '@fleet-estop/protocol';
import type { Store } from '../state/store.ts';
import { type Claim, isBack } from './claim.ts';
import type { GatewayLink } from './gateway-link.ts';

export interface Roster {
  /** Published with the next publication, whenever that is. */
  changed(link: GatewayLink): void;
  /**
   * Publishes at the end of this turn, or, with many gateways, some milliseconds after the last
   * publication. A late publication never claims too much.
   */
  publishSoon(): void;
  /** Publishes before any other code runs: an earlier claim is taken back. */
  publishNow(): void;
  record(type: EventType, link: GatewayLink, data: { readonly [key: string]: unknown }): void;
  /** The gateway is listed as gone until it returns or `maxGone` others are gone as well. */
  gone(link: GatewayLink): void;
  /** The gone gateway with this claim is back. */
  returned(claim: Claim): void;
  close(): void;
}

export interface RosterOptions {
  readonly store: Store;
  readonly maxGone: number;
  /** Maximum number of simultaneous connections. */
  readonly maxLinks: number;
  readonly steadyMs: () => number;
  readonly stateOf: (link: GatewayLink) => LinkState;
  /** Called after each publication. */
  readonly published: () => void;
}

/**
 * A gateway that just left may be about to return: it waits at most 5 s before it connects, and
 * then sends its hello. If a thousand leave at once, none is forgotten while somebody may wait for
 * it. More than can be connected cannot return.
 */
const RETURNING_MS = 6_000;

/**
 * Each of a thousand acknowledgements comes in its own turn and would build a list of a thousand.
 * So they are collected: for 10 ms with a thousand gateways, and not at all with a few.
 */
const PAUSE_PER_GATEWAY_MS = 0.01;

interface Gone {
  readonly claim: Claim | null;
  view: GatewayView;
  readonly sinceMs: number;
}

export function roster(options: RosterOptions): Roster {
  const { store, maxGone, maxLinks, steadyMs, stateOf, published } = options;
  const views = new Map<GatewayLink, GatewayView>();
  const dirty = new Set<GatewayLink>();
  /** Oldest first. */
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
    for (const one of gone.slice(0, old)) {
      if (one.view.returning === undefined) continue;
      const { returning: _over, ...view } = one.view;
      one.view = view;
      listChanged = true;
    }
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
    // The list first: a reader of the acknowledgement event finds it there.
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
    // Deferred: the store must not be called back within its own publication.
    publishNow: () => queueMicrotask(publish),
    record(type, link, data) {
      const { instance = '?', pid = 0 } = link.hello() ?? {};
      events.push([type, `gateway/${instance}`, { instance, pid, ...data }]);
    },
    gone(link) {
      views.delete(link);
      dirty.delete(link);
      const view: GatewayView = { ...link.view('gone'), returning: true };
      gone.push({ claim: link.hello(), view, sinceMs: steadyMs() });
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
