/**
 * Looks at a fleet whenever something in it may have changed, also where a folder that is watched is
 * put in another's place. What a look sees, and what follows from it, is the caller's.
 */
import { statSync } from 'node:fs';
import {
  type Following,
  follow,
  nextDeadline,
  type Outlook,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import type { Session } from '../session.ts';
import type { Lane } from '../state.ts';

/** Calls `look` at once (before it returns), and then until the result is called. It must not throw. */
export function keepLooking(look: () => Outlook): () => void {
  let following: Following | undefined;
  let ended = false;
  let watched = '';
  let identities = '';

  const lookOnce = (): Outlook => {
    const outlook = look();
    const names = JSON.stringify([outlook.scopes, outlook.shapes]);
    const now = identitiesOf(outlook);
    // What is watched is a folder, not its name: of one in its place, nothing would be heard.
    if (names === watched && now !== identities) setImmediate(begin);
    watched = names;
    identities = now;
    return outlook;
  };

  function begin(): void {
    following?.close();
    if (ended) return;
    watched = '';
    following = follow(lookOnce);
    // Its first look comes before there is anything to close.
    if (ended) following.close();
  }
  begin();
  return () => {
    ended = true;
    following?.close();
  };
}

const identitiesOf = ({ scopes, shapes = [] }: Outlook): string =>
  [...scopes, ...shapes].map(identityOf).join(' ');

function identityOf(dir: string): string {
  try {
    const stats = statSync(dir, { throwIfNoEntry: false });
    return stats === undefined ? 'none' : `${stats.dev}:${stats.ino}`;
  } catch {
    return 'unknown';
  }
}

/** What to watch in order to see the next change of these lanes, and when one comes by itself. */
export function outlookOf(
  session: Session,
  lanes: readonly Lane[],
  alsoAtMs: number | null,
): Outlook {
  const states = lanes.flatMap((lane) => lane.states);
  const profiles = `${session.root.root === '/' ? '' : session.root.root}/profiles`;
  return {
    scopes: [...new Set(states.map(({ scope }) => scope.dir))],
    // Where lanes come and go; where there is no such folder yet, that is what comes.
    shapes: [identityOf(profiles) === 'none' ? session.root.root : profiles],
    deadlineMs: nextDeadline([...deadlinesIn(states), alsoAtMs], session.nowMs),
  };
}

const deadlinesIn = (states: readonly ScopeState[]): (number | null)[] =>
  states.flatMap(({ check }) =>
    check.engaged ? check.holds.map(({ expiresAtMs }) => expiresAtMs) : [],
  );
