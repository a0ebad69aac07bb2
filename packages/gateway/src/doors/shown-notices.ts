/**
 * Remembers in which conversations a notice was shown, and for which engagement. The memory is bounded:
 * a forgotten conversation gets its notice again.
 * The text of the notice is `gate/notice.ts`.
 */
import { createHash } from 'node:crypto';
import type { Refused } from '../gate/gate.ts';

/** Engagements of one conversation that are remembered side by side. */
const MAX_SIDE_BY_SIDE = 8;

interface ShownTo {
  /** Newest last. Several only if different holds refuse different principals of one conversation. */
  readonly engagements: readonly string[];
  /** Digest of the principal who got the newest notice. */
  readonly principal: string | null;
}

export interface ShownNotices {
  /** true if this conversation has not seen the notice yet. Marks it as shown. */
  isNew(conversation: string, principal: string | null, refused: Refused): boolean;
  readonly size: number;
}

export function shownNotices(maxConversations: number): ShownNotices {
  // Ordered by the newest message, oldest first.
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
      // Digests bound the memory, however long the names are.
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
 * For the principal who got the last notice, any other engagement is new: the hold has changed, possibly
 * back to an earlier one. For another principal, an allowlist may cause the difference, so an engagement
 * that the conversation has seen is not new.
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
