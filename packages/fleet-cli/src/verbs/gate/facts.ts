/**
 * What a gate was asked, and what was answered.
 */
import type { Reply } from '@fleet-estop/sentinel-core';
import type { Session } from '../../fleet/session.ts';
import { notSeenIn } from '../../fleet/state.ts';

export interface GateFacts {
  readonly session: Session;
  /** null: the root's own chain, and so the lane `default`. */
  readonly profile: string | null;
  readonly door: string | null;
  /** null: nobody is named, so nobody passes by name. */
  readonly user: string | null;
  readonly reply: Reply;
  /** null: it was not asked to wait. */
  readonly waitedMs: number | null;
}

/** Refused by holds that were read, and by nothing else. */
export const isPlain = ({ states, unknown }: Reply): boolean =>
  unknown === null && states.every((state) => notSeenIn(state) === null);
