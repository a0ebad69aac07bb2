/**
 * Work that is claimed first and started later: asked before both, for a pause may come between.
 * Which work there is, and what a claim is, is the author's.
 */
import type { Applicant, Gate, Refused } from '../gate/gate.ts';

export interface Steps<Claimed, Spawned> {
  /** Takes a piece of work; null or undefined: there is none. */
  readonly claim: () => Promise<Claimed | null | undefined> | Claimed | null | undefined;
  /** Starts it. Called at once after the gate was asked: what takes time belongs into `claim`. */
  readonly spawn: (claimed: Claimed) => Promise<Spawned> | Spawned;
  /** Makes it as if it had not been claimed: no failure mark, no attempt counted. */
  readonly giveBack: (claimed: Claimed, refused: Refused) => Promise<void> | void;
}

export type TwoStep<Claimed, Spawned> =
  | { readonly did: 'spawned'; readonly claimed: Claimed; readonly spawned: Spawned }
  | { readonly did: 'nothing' }
  /** Before the claim: nothing was touched. */
  | { readonly did: 'refused'; readonly refused: Refused }
  /** After the claim, which was undone. */
  | { readonly did: 'given-back'; readonly claimed: Claimed; readonly refused: Refused };

/** Refused, and still claimed: somebody has to look after it. */
export class GiveBackError extends Error {
  override readonly name = 'GiveBackError';
  readonly code = 'GIVE_BACK_FAILED';
  readonly hint = 'give it back by hand, or have your housekeeping reclaim it as stale';
  readonly claimed: unknown;
  readonly refused: Refused;

  constructor(claimed: unknown, refused: Refused, cause: unknown) {
    super(`work for \`${refused.profile}\` was refused after its claim, and not given back`, {
      cause,
    });
    this.claimed = claimed;
    this.refused = refused;
  }
}

/**
 * Asks, claims, asks again, spawns. A refusal at either step leaves one receipt, and the second
 * gives the work back; throws GIVE_BACK_FAILED where that fails. What `claim` and `spawn` throw
 * comes through untouched: a start that failed is the author's to judge.
 */
export async function twoStep<Claimed, Spawned>(
  gate: Gate,
  { claim, spawn, giveBack, ...applicant }: Applicant & Steps<Claimed, Spawned>,
): Promise<TwoStep<Claimed, Spawned>> {
  const first = gate.admit(applicant);
  if (!first.admitted) return { did: 'refused', refused: first };
  return claimAndSpawn(gate, applicant, { claim, spawn, giveBack });
}

/** All but the first question. */
export async function claimAndSpawn<Claimed, Spawned>(
  gate: Gate,
  applicant: Applicant,
  { claim, spawn, giveBack }: Steps<Claimed, Spawned>,
): Promise<Exclude<TwoStep<Claimed, Spawned>, { did: 'refused' }>> {
  const claimed = await claim();
  if (claimed === null || claimed === undefined) return { did: 'nothing' };
  const second = gate.admit(applicant);
  if (second.admitted) return { did: 'spawned', claimed, spawned: await spawn(claimed) };
  try {
    await giveBack(claimed, second);
  } catch (error) {
    throw new GiveBackError(claimed, second, error);
  }
  return { did: 'given-back', claimed, refused: second };
}
