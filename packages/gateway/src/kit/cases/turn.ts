/**
 * What is asked of the turn door alone: that people are told, once in a conversation, and that every
 * refusal leaves a receipt.
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
        'a hold stands, and a turn began all the same',
        'ask `turnDoor(gate).decide(message)` before a turn begins',
      );
    };

  return [
    {
      door: DOOR,
      title: 'says why, once in each conversation, and again when the hold has changed',
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
      title: 'leaves one receipt for each refusal, those without a notice included',
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
  const said = notice === null ? 'nothing was said' : 'what was said does not tell the reason';
  throw new DoorFailure(
    DOOR,
    `${which} was refused, and ${said}`,
    'send the `notice` of `decide` to the conversation where it is not null, and answer it as `notice` here',
  );
}

function mustBeSilent(notice: string | null, which: string): void {
  if (notice === null) return;
  throw new DoorFailure(
    DOOR,
    `${which} of a conversation was told of the same hold again`,
    'say the notice only where `decide` gives one: it is null where it has been said',
  );
}
