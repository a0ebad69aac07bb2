/**
 * What holds a profile, as the disk says it at one look.
 * When to look is `follow` of the core, and every word of the watcher.
 */
import {
  type Chain,
  check,
  type DiskPort,
  nextDeadline,
  type Scope,
  type ScopeCheck,
  type ScopeState,
} from '@fleet-estop/sentinel-core';

export interface ProfileState {
  readonly profile: string;
  /** Held by any scope of its chain. Whom a hold lets pass all the same is for `admit`. */
  readonly engaged: boolean;
  /** Nearest first, as `admit` and `explain` take them. */
  readonly scopes: readonly ScopeState[];
}

/** Reads every scope once, however many chains it is part of. Throws nothing [7]. */
export function readProfileStates(disk: DiskPort, chains: Iterable<Chain>): ProfileState[] {
  const seen = new Map<string, ScopeCheck>();
  const read = (scope: Scope): ScopeState => {
    const known = seen.get(scope.dir) ?? check(disk, scope.dir);
    seen.set(scope.dir, known);
    return { scope, check: known };
  };
  return [...chains].map(({ profile, scopes }) => {
    const states = scopes.map(read);
    return { profile, engaged: states.some((state) => state.check.engaged), scopes: states };
  });
}

/** Do they say the same to whoever asks to be admitted, and to whoever reads the notice? */
export const sameState = (a: ProfileState | undefined, b: ProfileState): boolean =>
  a !== undefined && textOfState(a) === textOfState(b);

const textOfState = ({ scopes }: ProfileState): string =>
  scopes.map(({ scope, check: found }) => `${scope.dir}\n${textOf(found)}`).join('\n');

/** What stands at the root is part of every lane, and put into words once. */
const texts = new WeakMap<ScopeCheck, string>();

function textOf(found: ScopeCheck): string {
  if (!found.engaged) return '';
  const { holds, topAllow, unreadable, overdue } = found;
  const text = texts.get(found) ?? JSON.stringify([holds, topAllow, unreadable, overdue]);
  texts.set(found, text);
  return text;
}

/** When a hold of these ends by itself, in milliseconds since the epoch; null: none does. */
export const deadlineOf = (states: readonly ProfileState[], nowMs: number): number | null =>
  nextDeadline(
    states.flatMap(({ scopes }) =>
      scopes.flatMap(({ check: found }) =>
        found.engaged ? found.holds.map((hold) => hold.expiresAtMs) : [],
      ),
    ),
    nowMs,
  );

/**
 * Somebody is changing a sentinel right now, or died while doing so. The end of that need not ring:
 * it happens inside the tenure's folder.
 */
export const isUnsettled = ({ scopes }: ProfileState): boolean =>
  scopes.some(
    ({ check: found }) =>
      found.engaged && (found.aside === true || found.unreadable === 'unsettled'),
  );
