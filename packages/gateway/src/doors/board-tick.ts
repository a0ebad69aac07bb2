/**
 * The result of one tick of a board, complete or up to a failure.
 * The tick itself is `kanban.ts`.
 */

export interface BoardTick<Card, Worker> {
  readonly spawned: readonly { readonly card: Card; readonly worker: Worker }[];
  /** Cards that were claimed and given back, because a pause began before the spawn. */
  readonly givenBack: readonly Card[];
  /** true: paused before the first card or during the tick. */
  readonly held: boolean;
  /** true: `resumeRate` allowed no further start. The other cards stay on the board for the next tick. */
  readonly notYet?: true;
}

/** A function of the board threw; the error is the `cause`. What was done before it stays done. */
export class BoardTickError<Card = unknown, Worker = unknown> extends Error {
  override readonly name = 'BoardTickError';
  readonly code = 'BOARD_TICK_FAILED';
  readonly hint = 'fix what `cause` reports; workers that were spawned keep running';
  readonly profile: string;
  /**
   * The result up to the failure. `givenBack` is always empty: giving back a card ends a tick.
   */
  readonly soFar: BoardTick<Card, Worker>;
  /**
   * At most one card that was claimed but not known to be spawned or given back, because `spawn` or
   * `giveBack` threw. Somebody has to check it.
   */
  readonly leftClaimed: readonly Card[];

  constructor(
    profile: string,
    soFar: BoardTick<Card, Worker>,
    leftClaimed: readonly Card[],
    cause: unknown,
  ) {
    const { length } = soFar.spawned;
    const after = `with ${length} ${length === 1 ? 'card' : 'cards'} spawned`;
    const left = leftClaimed.length === 0 ? '' : ' and one left claimed';
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    super(`a tick of the board of \`${profile}\` failed, ${after}${left}${why}`, { cause });
    this.profile = profile;
    this.soFar = soFar;
    this.leftClaimed = leftClaimed;
  }
}
