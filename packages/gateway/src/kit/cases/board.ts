/**
 * The case for boards: a pause between the claim of a card and the spawn of its worker gives the card
 * back, without a failure mark.
 */
import type { BoardDriver } from '../adapter.ts';
import type { Case } from '../case.ts';
import { DoorFailure } from '../failure.ts';

const DOOR = 'kanban';

export const boardCases = <Gateway>(board: BoardDriver<Gateway>): Case<Gateway>[] => [
  {
    door: DOOR,
    title: 'gives a card back, without a failure mark, when a pause comes between claim and spawn',
    async run({ gateway, fleet, patience }) {
      const id = await patience.answer(DOOR, () => board.add(gateway));
      const look = () => patience.answer(DOOR, () => board.card(gateway, id));
      const { failures } = await look();
      let reached = false;
      const between = async (claimed: string): Promise<void> => {
        if (claimed !== id) return;
        reached = true;
        fleet.arm('root');
      };
      await patience.answer(DOOR, () => board.dispatch(gateway, between));
      if (!reached) {
        throw new DoorFailure(
          DOOR,
          `the card \`${id}\` was dispatched without calling \`between\``,
          "await `between(id)` in your test's board, as the last step of a claim",
        );
      }
      const after = await look();
      const wrong = wrongWith(after.state, after.failures - failures);
      if (wrong !== null) {
        throw new DoorFailure(
          DOOR,
          `a pause began between claim and spawn, and ${wrong}`,
          'ask again right before the spawn, and undo the claim completely if refused; `kanbanDoor` and `twoStep` do',
        );
      }
      fleet.lift('root');
      const spawned = await patience.until(async () => {
        await patience.answer(DOOR, () => board.dispatch(gateway, async () => {}));
        return (await look()).state === 'spawned';
      });
      if (spawned) return;
      throw new DoorFailure(
        DOOR,
        'a card that was given back was not dispatched after the lift',
        'give it back as ready, not as blocked or failed',
      );
    },
  },
];

function wrongWith(state: 'ready' | 'claimed' | 'spawned', failures: number): string | null {
  if (state === 'spawned') return 'the worker was spawned anyway';
  if (state === 'claimed') return 'the card was not given back';
  return failures > 0 ? 'the card was given back with a failure mark' : null;
}
