/**
 * What `fleet gate` asked, and the reply.
 */
import type { Reply } from '@fleet-estop/sentinel-core';
import type { Session } from '../../fleet/session.ts';
import { notSeenIn } from '../../fleet/state.ts';

export interface GateFacts {
  readonly session: Session;
  /** null: the root's chain, and so the profile `default`. */
  readonly profile: string | null;
  readonly door: string | null;
  /** null: no user is named, so no allowlist admits anybody. */
  readonly user: string | null;
  readonly reply: Reply;
  /** null: without --wait. */
  readonly waitedMs: number | null;
}

/** Refused only by holds that could be read. */
export const isPlain = ({ states, unknown }: Reply): boolean =>
  unknown === null && states.every((state) => notSeenIn(state) === null);
