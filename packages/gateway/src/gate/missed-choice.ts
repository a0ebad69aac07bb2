/**
 * Reads what the lifts that end a pause say about missed work, from the files that `fleet resume --missed`
 * writes. What is done with it is the author's, and `doors/misfire.ts`.
 */
import { MISSED_CHOICES, type MissedChoice, readMissed } from '@fleet-estop/sentinel-core';
import type { ProfileState } from '../link/profile-state.ts';
import type { EndedHold } from './gate.ts';
import { type GateLog, logWarning } from './gate-log.ts';
import { oneLine } from './notice.ts';

export interface MissedChoices {
  /** null: the profile is still held, or nobody has chosen. Never throws. */
  see(state: ProfileState, ended: readonly EndedHold[]): MissedChoice | null;
}

export function missedChoices(log: GateLog | undefined, now: () => number): MissedChoices {
  /** By profile, of the lifts of a pause that others still hold. */
  const chosen = new Map<string, readonly MissedChoice[]>();

  const choiceOf = ({ profile, scopes }: ProfileState, hold: EndedHold): MissedChoice[] => {
    const dir = scopes.find(({ scope }) => scope.kind === hold.scope)?.scope.dir;
    if (dir === undefined || hold.by !== 'lifted') return [];
    const read = readMissed(dir, hold.id, now());
    if (read.state === 'chosen') return [read.choice];
    if (read.state === 'unusable') {
      const fields = { profile, scope: hold.scope, hold: hold.id, why: read.why };
      const message = `what the lift of a hold of ${profile} says about missed work cannot be used: ${oneLine(read.why, 200)}; the gateway's default applies`;
      logWarning(log, fields, message);
    }
    return [];
  };

  return {
    see(state, ended) {
      const { profile, engaged } = state;
      const all = [
        ...(chosen.get(profile) ?? []),
        ...ended.flatMap((hold) => choiceOf(state, hold)),
      ];
      // The most careful one wins.
      const choice = MISSED_CHOICES.find((word) => all.includes(word)) ?? null;
      if (engaged && choice !== null) chosen.set(profile, [choice]);
      else chosen.delete(profile);
      return engaged ? null : choice;
    },
  };
}
