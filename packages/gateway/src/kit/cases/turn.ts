/**
 * The cases for the turn door: a conversation gets the notice once, and every refusal leaves a receipt.
 */
import type { TurnDriver } from '../adapter.ts';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import { receiptsOf, requireReceipts } from '../receipts.ts';

const DOOR = 'turn';

export function turnCases<Gateway>(turn: TurnDriver<Gateway>): Case<Gateway>[] {
  const sayTo =
    ({ gateway, principals, patience }: CaseContext<Gateway>) =>
    async (conversation: string): Promise<string | null> => {
      const message = { conversation, principal: principals.other, text: 'hello' };
      const { admitted, notice = null } = await patience.answer(DOOR, () => turn(gateway, message));
      if (!admitted) return notice;
      throw new DoorFailure(
        DOOR,
        'a hold is in place, but a turn began anyway',
        'ask `turnDoor(gate).decide(message)` before a turn begins',
      );
    };

  return [
    {
      door: DOOR,
      title: 'shows the notice once in each conversation, and again when the hold has changed',
      async run(context) {
        const say = sayTo(context);
        const [one, two] = [context.fresh('conversation'), context.fresh('conversation')];
        context.fleet.arm('profile', { reason: 'kit-reason-1' });
        mustSay(await say(one), 'kit-reason-1', 'the first message');
        mustBeSilent(await say(one), 'a second message');
        mustSay(await say(two), 'kit-reason-1', 'the first message of another conversation');
        context.fleet.lift('profile');
        context.fleet.arm('profile', { reason: 'kit-reason-2' });
        mustSay(await say(one), 'kit-reason-2', 'the first message under another hold');
      },
    },
    {
      door: DOOR,
      title: 'leaves one receipt for each refusal, with or without a notice',
      async run(context) {
        const say = sayTo(context);
        const conversation = context.fresh('conversation');
        const hold = context.fleet.arm('profile');
        const before = receiptsOf(context.fleet, DOOR);
        for (let message = 0; message < 3; message++) await say(conversation);
        await requireReceipts(context, DOOR, before, 3, hold);
      },
    },
  ];
}

function mustSay(notice: string | null, reason: string, which: string): void {
  if (notice?.includes(reason)) return;
  const shown = notice === null ? 'no notice was shown' : 'the notice does not contain the reason';
  throw new DoorFailure(
    DOOR,
    `${which} was refused, and ${shown}`,
    'send the `notice` of `decide` to the conversation if it is not null, and return it as `notice` in the driver',
  );
}

function mustBeSilent(notice: string | null, which: string): void {
  if (notice === null) return;
  throw new DoorFailure(
    DOOR,
    `${which} of a conversation got the notice of the same hold again`,
    'show the notice only if `decide` returns one: it is null if it was already shown',
  );
}
