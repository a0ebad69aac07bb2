/**
 * Which conversations have had the full notice, and of what engagement. Bounded: what is forgotten
 * is told again, and nothing is withheld that was not told.
 * What the notice says is the gate's.
 */
import { createHash } from 'node:crypto';
import type { Refused } from '../gate/gate.ts';

/** Engagements of one conversation that are remembered side by side. */
const MAX_SIDE_BY_SIDE = 8;

interface Told {
  /** Newest last. Several only where one conversation has principals whom different holds refuse. */
  readonly engagements: readonly string[];
  /** To whom the newest was said. */
  readonly principal: string | null;
}

export interface ToldMemory {
  /** Is it news to this conversation? From now on it is not. */
  isNews(conversation: string, principal: string | null, refused: Refused): boolean;
  readonly size: number;
}

export function toldMemory(maxConversations: number): ToldMemory {
  // In the order of their newest message, oldest first.
  const known = new Map<string, Told>();
  const remember = (key: string, told: Told): void => {
    known.delete(key);
    known.set(key, told);
    if (known.size <= maxConversations) return;
    const oldest = known.keys().next();
    if (!oldest.done) known.delete(oldest.value);
  };
  return {
    isNews(conversation, principal, { profile, engagement }) {
      // Digests, so that nobody's long names fill the memory.
      const key = digest(JSON.stringify([profile, conversation]));
      const who = principal === null ? null : digest(principal);
      const told = known.get(key);
      const news = told === undefined || isNews(told, engagement, who);
      remember(key, news ? tell(told, engagement, who) : told);
      return news;
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
function isNews(told: Told, engagement: string, principal: string | null): boolean {
  if (told.principal === principal) return told.engagements.at(-1) !== engagement;
  return !told.engagements.includes(engagement);
}

function tell(told: Told | undefined, engagement: string, principal: string | null): Told {
  const others = told === undefined || told.principal === principal ? [] : told.engagements;
  return { engagements: [...others, engagement].slice(-MAX_SIDE_BY_SIDE), principal };
}

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22);
