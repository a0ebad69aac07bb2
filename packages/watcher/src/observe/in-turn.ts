/**
 * Which of many are looked at in one sweep, where looking at all of them would be most of its cost:
 * of a small fleet all, of a large one a quarter each time. Never for sentinels: those are all read.
 */
const PARTS = 4;
/** Of a fleet of this size the whole is a few milliseconds. */
const SMALL = 256;

/** Answers for each sweep whose turn it is, by place in the list. A look that is no sweep takes all. */
export function inTurn(): (count: number, isSweep: boolean) => (at: number) => boolean {
  let turn = 0;
  return (count, isSweep) => {
    if (!isSweep || count <= SMALL) return () => true;
    turn = (turn + 1) % PARTS;
    return (at) => at % PARTS === turn;
  };
}
