/**
 * The state as one client asked for it, and who waits for it to change.
 * Requests are `serve/wait.ts`.
 */
import { createHash } from 'node:crypto';
import type { KnownState } from '@fleet-estop/protocol';
import { jsonText } from '@fleet-estop/sentinel-core';
import { documentOf } from './document.ts';
import type { Snapshot, Store } from './store.ts';

export interface StateView {
  /** Changes with everything in the document except when something was last seen. */
  readonly tag: string;
  /** `fleet/state/v1`, without what the HTTP service adds to it. */
  readonly text: string;
}

export interface StateViews {
  /** `profiles`: only these, and the gateways that serve them; empty: all. */
  now(profiles: readonly string[]): StateView;
  /** Resolves when the view no longer has this tag, when the time is up, or when it is ended. */
  changed(profiles: readonly string[], tag: string, timeoutMs: number): WaitForChange;
  /** Ends all waits, and those to come at once. */
  close(): void;
}

export interface WaitForChange {
  readonly view: Promise<StateView>;
  /** Idempotent. */
  end(): void;
}

interface Waiter {
  readonly profiles: readonly string[];
  readonly tag: string;
  readonly end: () => void;
}

/** A burst of changes is answered once, so that nobody gets more than 50 answers a second. */
const LEAST_PAUSE_MS = 20;
/** Of the time that the last views took, which with a thousand gateways is many milliseconds. */
const PAUSE_GROWTH = 4;
/** Views that are kept of one state: clients may name any combination of profiles. */
const MAX_VIEWS = 64;

export function stateViews(store: Store): StateViews {
  const waiters = new Set<Waiter>();
  let of: Snapshot | undefined;
  let whole: KnownState | undefined;
  let views = new Map<string, StateView>();
  let timer: NodeJS.Timeout | undefined;
  let notBeforeMs = Number.NEGATIVE_INFINITY;
  let closed = false;

  const now = (profiles: readonly string[]): StateView => {
    const snapshot = store.snapshot();
    if (snapshot !== of) views = new Map();
    if (snapshot !== of || whole === undefined) whole = documentOf(snapshot);
    of = snapshot;
    const key = profiles.join(' ');
    if (views.size >= MAX_VIEWS) views.clear();
    const known = views.get(key) ?? viewOf(partOf(whole, profiles));
    views.set(key, known);
    return known;
  };

  const compare = (): void => {
    timer = undefined;
    const beganMs = performance.now();
    for (const waiter of [...waiters]) {
      if (now(waiter.profiles).tag !== waiter.tag) waiter.end();
    }
    const endedMs = performance.now();
    notBeforeMs = endedMs + Math.max(LEAST_PAUSE_MS, (endedMs - beganMs) * PAUSE_GROWTH);
  };
  const compareSoon = (): void => {
    if (waiters.size === 0 || timer !== undefined) return;
    timer = setTimeout(compare, Math.max(0, notBeforeMs - performance.now()));
  };
  const unsubscribe = store.subscribe(compareSoon);

  return {
    now,
    changed(profiles, tag, timeoutMs) {
      let end = (): void => {};
      const view = new Promise<StateView>((resolve) => {
        const late = setTimeout(() => end(), timeoutMs);
        end = () => {
          clearTimeout(late);
          if (waiters.delete(waiter)) resolve(now(profiles));
        };
      });
      const waiter: Waiter = { profiles, tag, end };
      waiters.add(waiter);
      if (closed) end();
      else compareSoon();
      return { view, end };
    },
    close() {
      closed = true;
      unsubscribe();
      clearTimeout(timer);
      for (const { end } of [...waiters]) end();
      views = new Map();
    },
  };
}

function partOf(state: KnownState, names: readonly string[]): KnownState {
  if (names.length === 0) return state;
  const isMeant = ({ name }: { readonly name: string }): boolean => names.includes(name);
  const gateways = state.gateways.flatMap((gateway) => {
    const profiles = gateway.profiles.filter(isMeant);
    return profiles.length === 0 ? [] : [{ ...gateway, profiles }];
  });
  return { ...state, profiles: state.profiles.filter(isMeant), gateways };
}

/** The tag ignores heartbeats, looks at the disk without a change, and changes of other profiles. */
function viewOf(state: KnownState): StateView {
  const gateways = state.gateways.map((gateway) => ({ ...gateway, last_seen_at: null }));
  const compared = jsonText({ ...state, revision: null, looked_at: null, gateways });
  const digest = createHash('sha256').update(compared).digest('base64url').slice(0, 22);
  return { tag: `W/"${state.epoch}-${digest}"`, text: jsonText(state) };
}
