/**
 * What one tick of a board did, be it to its end or until something failed.
 * How a tick goes is `kanban.ts`.
 */

export interface BoardTick<Card, Worker> {
  readonly spawned: readonly { readonly card: Card; readonly worker: Worker }[];
  /** Claimed, and given back because a pause came before the spawn. */
  readonly givenBack: readonly Card[];
  /** Paused, before the first card or on the way. */
  readonly held: boolean;
}

/** A function of the board threw, which is the `cause`; what was done before that stands. */
export class BoardTickError<Card = unknown, Worker = unknown> extends Error {
  override readonly name = 'BoardTickError';
  readonly code = 'BOARD_TICK_FAILED';
  readonly hint = 'mend what `cause` says; what was spawned runs, and is not undone';
  readonly profile: string;
  /**
   * As the answer of a tick that ended here. What it gives back ends a tick, so that nothing can fail
   * after it.
   */
  readonly soFar: BoardTick<Card, Worker>;
  /**
   * Claimed, and neither known to be spawned nor given back: `spawn` or `giveBack` threw. One at most;
   * somebody has to look after it.
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
