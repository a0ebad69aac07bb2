/**
 * Which conversations have had the full notice, and of what engagement. Bounded: what is forgotten
 * is told again, and nothing is withheld that was not shown.
 * What the notice says is the gate's.
 */
import { createHash } from 'node:crypto';
import type { Refused } from '../gate/gate.ts';

/** Engagements of one conversation that are remembered side by side. */
const MAX_SIDE_BY_SIDE = 8;

interface ShownTo {
  /** Newest last. Several only where one conversation has principals whom different holds refuse. */
  readonly engagements: readonly string[];
  /** To whom the newest was said. */
  readonly principal: string | null;
}

export interface ShownNotices {
  /** Is it news to this conversation? From now on it is not. */
  isNew(conversation: string, principal: string | null, refused: Refused): boolean;
  readonly size: number;
}

export function shownNotices(maxConversations: number): ShownNotices {
  // In the order of their newest message, oldest first.
  const known = new Map<string, ShownTo>();
  const remember = (key: string, shown: ShownTo): void => {
    known.delete(key);
    known.set(key, shown);
    if (known.size <= maxConversations) return;
    const oldest = known.keys().next();
    if (!oldest.done) known.delete(oldest.value);
  };
  return {
    isNew(conversation, principal, { profile, engagement }) {
      // Digests, so that nobody's long names fill the memory.
      const key = digest(JSON.stringify([profile, conversation]));
      const who = principal === null ? null : digest(principal);
      const shown = known.get(key);
      const isUnseen = shown === undefined || isNew(shown, engagement, who);
      remember(key, isUnseen ? withEngagement(shown, engagement, who) : shown);
      return isUnseen;
    },
    get size() {
      return known.size;
    },
  };
}

/**
 * Another engagement for the one who was told last: the hold has changed, be it back to one of
 * before. For somebody else: perhaps only another allowlist, and the conversation may know it.
 */
function isNew(shown: ShownTo, engagement: string, principal: string | null): boolean {
  if (shown.principal === principal) return shown.engagements.at(-1) !== engagement;
  return !shown.engagements.includes(engagement);
}

function withEngagement(
  shown: ShownTo | undefined,
  engagement: string,
  principal: string | null,
): ShownTo {
  const others = shown === undefined || shown.principal === principal ? [] : shown.engagements;
  return { engagements: [...others, engagement].slice(-MAX_SIDE_BY_SIDE), principal };
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);
