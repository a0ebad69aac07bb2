/**
 * Gives each profile a hold of its own, the stand-in of the root's, before the root's hold is lifted, so that
 * no profile is free before its turn.
 */
import { arm, DEFAULT_PROFILE, listProfiles, type Profile } from '@fleet-estop/sentinel-core';
import { type PatienceOptions, readPatience } from '../../../cli/patience.ts';
import { actorOf } from '../../../fleet/actor.ts';
import type { Session } from '../../../fleet/session.ts';
import { attempt, recordInJournal, targetOf } from '../../../fleet/targets.ts';
import { whyText } from '../../../text/why.ts';
import { holdsIn, isWaiting, type StagedMode } from './turns.ts';

/** `profiles`: all profiles of the fleet, each of which was seen to be held. */
export type Covering =
  | { readonly covered: true; readonly profiles: readonly Profile[]; readonly notices: string[] }
  | { readonly covered: false; readonly why: string; readonly notices: string[] };

/** How often the profiles are listed again, since new ones may have come meanwhile. */
const MAX_LISTINGS = 5;

export function coverAll(session: Session, mode: StagedMode, options: PatienceOptions): Covering {
  const notices: string[] = [];
  const stopped = (why: string): Covering => ({ covered: false, why, notices });
  for (let listing = 0; listing < MAX_LISTINGS; listing++) {
    const { profiles, unreadable } = listProfiles(session.root.root);
    if (unreadable !== undefined) {
      return stopped(`the profiles cannot be listed: ${whyText(unreadable)}`);
    }
    const own = profiles.filter(({ name }) => name !== DEFAULT_PROFILE);
    // A profile that cannot be read is held now, but nobody knows by what, and so for how long.
    const open = own.filter(({ name }) => !isWaiting(holdsIn(session, name), mode.holder));
    if (open.length === 0) return { covered: true, profiles: own, notices };
    for (const { name } of open) {
      const why = cover(session, name, mode, options, notices);
      if (why !== null) return stopped(`\`${name}\` could not be held until its turn: ${why}`);
    }
  }
  return stopped('new profiles keep coming, so not all of them could be held until their turn');
}

/** null: its hold stands, as read back. */
function cover(
  session: Session,
  profile: string,
  { holder, rootHold }: StagedMode,
  options: PatienceOptions,
  notices: string[],
): string | null {
  const [target] = targetOf(session.root.root, profile);
  if (target === undefined) return 'it has no folder of its own';
  const actor = actorOf('resume --staged');
  const request = {
    holder,
    actor,
    reason: reasonOf(rootHold?.reason ?? null),
    allow: rootHold?.allow ?? null,
    // A deadline would free the profile before its turn.
    expiresAt: null,
  };
  const result = attempt(() => arm(session.disk, target.scope.dir, request, readPatience(options)));
  if ('unexpectedError' in result) return result.unexpectedError;
  if (!result.armed) return whyText(result.why);
  const { hold, generation } = result;
  notices.push(
    ...recordInJournal(
      { ...session, nowMs: Date.now() },
      { event: 'arm', scope: target.scope.dir, profile, holds: [hold], generation, actor },
    ),
  );
  const own = holdsIn(session, profile);
  if (isWaiting(own, holder)) return null;
  return own.unread === null ? 'its hold is not there any more' : whyText(own.unread);
}

const reasonOf = (reason: string | null): string =>
  reason === null ? 'waits for its turn in a staged resume' : `${reason} (waits for its turn)`;
