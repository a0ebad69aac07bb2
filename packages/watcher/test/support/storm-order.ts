/**
 * The orders for a storm's writer, and its results.
 * The writing is `storm-writer.ts`.
 */
export interface Order {
  /** Bursts in every lane; or all lanes, made with their sentinels and removed. */
  readonly does: 'toggle' | 'make' | 'remove';
  readonly round: number;
}

/** What a round of toggles leaves in the lane at this place of the list. */
export const isHeldAfter = (round: number, at: number): boolean => (round + at) % 2 === 0;
