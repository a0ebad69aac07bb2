/**
 * Publishes changes of a profile's state to the author's listeners, with the delay for catch-up work.
 * When to read the disk is decided in `link/`.
 */
import { createHash } from 'node:crypto';
import type { ScopeState } from '@fleet-estop/sentinel-core';
import type { ProfileState } from '../link/profile-state.ts';
import { safely } from '../link/safely.ts';
import { endedHolds } from './ended-holds.ts';
import type { GateChange } from './gate.ts';
import type { GateLog } from './gate-log.ts';
import { missedChoices } from './missed-choice.ts';

export interface Changes {
  /** Notifies every listener. `engagement` names the current holds; null if there are none. */
  publish(state: ProfileState, engagement: string | null): GateChange;
  listen(listener: (change: GateChange) => void): () => void;
}

export interface ChangesOptions {
  /** Distinguishes gateways, so that they do not all catch up at once. */
  readonly instance: string;
  readonly resumeSpreadMs: number;
  readonly now: () => number;
  readonly log?: GateLog | undefined;
}

export function gateChanges({ instance, resumeSpreadMs, now, log }: ChangesOptions): Changes {
  const newest = new Map<string, GateChange>();
  const seen = new Map<string, readonly ScopeState[]>();
  const choices = missedChoices(log, now);
  const listeners = new Set<{ readonly call: (change: GateChange) => void }>();
  return {
    publish(state, engagement) {
      const { profile, engaged, scopes } = state;
      const wasHeld = newest.get(profile)?.engaged === true;
      const { ended, known } = endedHolds(seen.get(profile) ?? [], scopes, now());
      seen.set(profile, known);
      const spread = wasHeld && !engaged ? share(`${instance}\n${profile}`) * resumeSpreadMs : 0;
      const resumeAfterMs = Math.round(spread);
      const missed = choices.see(state, ended);
      const change = { profile, engaged, scopes, engagement, ended, resumeAfterMs, missed };
      // A later listener gets the current state, without the delay of a lift that is long past.
      newest.set(profile, { ...change, ended: [], resumeAfterMs: 0, missed: null });
      for (const listener of [...listeners]) {
        if (listeners.has(listener)) safely(() => listener.call(change));
      }
      return change;
    },
    listen(call) {
      const listener = { call };
      listeners.add(listener);
      for (const change of [...newest.values()]) {
        if (listeners.has(listener)) safely(() => call(change));
      }
      return () => void listeners.delete(listener);
    },
  };
}

/** A fraction from 0 to below 1, always the same for the same text. */
const share = (text: string): number =>
  createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
