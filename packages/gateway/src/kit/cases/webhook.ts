/**
 * The cases for the webhook door: a sender understands the answer, an outsider learns nothing, and no
 * delivery is lost.
 */
import type { WebhookAnswer, WebhookDriver } from '../adapter.ts';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import { receiptsOf, requireReceipts } from '../receipts.ts';

const DOOR = 'cron-webhook';
const REASON = 'kit-secret-reason';

export function webhookCases<Gateway>({ post, ran }: WebhookDriver<Gateway>): Case<Gateway>[] {
  const send = (
    { gateway, patience }: CaseContext<Gateway>,
    id: string,
    principal: string | null,
  ) => patience.answer(DOOR, () => post(gateway, { id, principal }));
  const began = ({ gateway, patience }: CaseContext<Gateway>, id: string) =>
    patience.answer(DOOR, () => ran(gateway, id));

  return [
    {
      door: DOOR,
      title: 'answers 503 with Retry-After and problem details while held',
      async run(context) {
        context.fleet.arm('profile', { reason: REASON });
        const answer = await send(context, context.fresh('delivery'), context.principals.other);
        await requireProblem(answer);
      },
    },
    {
      door: DOOR,
      title: 'answers 401 without credentials, and reveals nothing about a pause',
      async run(context) {
        const free = await seen(await send(context, context.fresh('delivery'), null));
        context.fleet.arm('profile', { reason: REASON });
        const id = context.fresh('delivery');
        const held = await seen(await send(context, id, null));
        const statuses = [free.status, held.status];
        if (statuses.some((status) => status !== 401)) {
          throw new DoorFailure(
            DOOR,
            `without credentials it answers ${free.status} while running, and ${held.status} while paused`,
            'authenticate first, and answer 401: the door runs after your authentication',
          );
        }
        if (free.text !== held.text || held.text.includes(REASON)) {
          throw new DoorFailure(
            DOOR,
            'its 401 reveals to an outsider whether the profile is paused',
            'ask the door only after authentication, so that both answers are the same',
          );
        }
        if (await began(context, id)) {
          throw new DoorFailure(DOOR, 'a delivery without credentials was processed', 'refuse it');
        }
      },
    },
    {
      door: DOOR,
      title: 'records nothing of a refused delivery: sent again after the lift, it is accepted',
      async run(context) {
        const id = context.fresh('delivery');
        context.fleet.arm('root');
        const refused = await send(context, id, context.principals.other);
        if (refused.status !== 503) throw notRefused(refused.status);
        context.fleet.lift('root');
        const { status } = await send(context, id, context.principals.other);
        const accepted = status >= 200 && status < 300;
        if (accepted && (await context.patience.until(() => began(context, id)))) return;
        throw new DoorFailure(
          DOOR,
          `a refused delivery that was sent again after the lift was answered with ${status}${accepted ? ', but its work did not begin' : ''}`,
          'ask the door before you record the delivery as received',
        );
      },
    },
    {
      door: DOOR,
      title: 'leaves one receipt for each refusal, and none for an outsider',
      async run(context) {
        const hold = context.fleet.arm('root');
        const before = receiptsOf(context.fleet, DOOR);
        await send(context, context.fresh('delivery'), null);
        for (let delivery = 0; delivery < 2; delivery++) {
          await send(context, context.fresh('delivery'), context.principals.other);
        }
        await requireReceipts(context, DOOR, before, 2, hold);
      },
    },
  ];
}

const seen = async (answer: WebhookAnswer) => ({
  status: answer.status,
  text: await answer.text(),
});

async function requireProblem(answer: WebhookAnswer): Promise<void> {
  const { status, headers } = answer;
  if (status !== 503) throw notRefused(status);
  const retryAfter = headers.get('retry-after') ?? '';
  const wrong: string[] = [];
  if (!/^[1-9][0-9]*$/.test(retryAfter)) wrong.push(`Retry-After is \`${retryAfter}\``);
  const type = headers.get('content-type') ?? '';
  if (!/^application\/problem\+json\b/i.test(type)) wrong.push(`Content-Type is \`${type}\``);
  const body = await answer.text();
  if (problemStatus(body) !== 503) wrong.push('the body is not problem details of status 503');
  if (wrong.length === 0) return;
  throw new DoorFailure(
    DOOR,
    `its 503 lacks what a sender needs: ${wrong.join(', ')}`,
    "send the door's answer unchanged, or `webhookAnswer(gate, …)` with its headers",
  );
}

function problemStatus(body: string): unknown {
  try {
    const problem: unknown = JSON.parse(body);
    return typeof problem === 'object' && problem !== null && 'status' in problem
      ? problem.status
      : undefined;
  } catch {
    return undefined;
  }
}

const notRefused = (status: number) =>
  new DoorFailure(
    DOOR,
    `a hold is in place, but a delivery was answered with ${status}`,
    'put `nodeDoor`, `expressDoor`, `fastifyDoor` or `fetchDoor` before your handler',
  );
