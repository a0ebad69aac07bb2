/**
 * For work that is claimed first and started later: asks the gate before both steps, since a pause can
 * begin in between.
 * Which work there is, and what a claim is, is the author's.
 */
import type { Applicant, Gate, Refused } from '../gate/gate.ts';

export interface Steps<Claimed, Spawned> {
  /** Claims a piece of work; null or undefined if there is none. */
  readonly claim: () => Promise<Claimed | null | undefined> | Claimed | null | undefined;
  /** Starts it, right after the gate was asked. Do slow preparation in `claim`. */
  readonly spawn: (claimed: Claimed) => Promise<Spawned> | Spawned;
  /** Undoes the claim completely: no failure mark, no counted attempt. */
  readonly giveBack: (claimed: Claimed, refused: Refused) => Promise<void> | void;
}

export type TwoStep<Claimed, Spawned> =
  | { readonly did: 'spawned'; readonly claimed: Claimed; readonly spawned: Spawned }
  | { readonly did: 'nothing' }
  /** Refused before the claim; nothing was changed. */
  | { readonly did: 'refused'; readonly refused: Refused }
  /** Refused after the claim, which was undone. */
  | { readonly did: 'given-back'; readonly claimed: Claimed; readonly refused: Refused };

/** Work was refused after its claim and could not be given back. Somebody has to check it. */
export class GiveBackError extends Error {
  override readonly name = 'GiveBackError';
  readonly code = 'GIVE_BACK_FAILED';
  readonly hint = 'give it back by hand, or let your housekeeping reclaim it as stale';
  readonly claimed: unknown;
  readonly refused: Refused;

  constructor(claimed: unknown, refused: Refused, cause: unknown) {
    super(`work for \`${refused.profile}\` was refused after its claim and not given back`, {
      cause,
    });
    this.claimed = claimed;
    this.refused = refused;
  }
}

/**
 * Asks, claims, asks again, spawns. A refusal at either step leaves one receipt; after a refusal at the
 * second step the work is given back. Throws GIVE_BACK_FAILED if that fails, and whatever `claim` and
 * `spawn` throw.
 */
export async function twoStep<Claimed, Spawned>(
  gate: Gate,
  { claim, spawn, giveBack, ...applicant }: Applicant & Steps<Claimed, Spawned>,
): Promise<TwoStep<Claimed, Spawned>> {
  const first = gate.admit(applicant);
  if (!first.admitted) return { did: 'refused', refused: first };
  return claimAndSpawn(gate, applicant, { claim, spawn, giveBack });
}

/** `twoStep` without the first question. */
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
