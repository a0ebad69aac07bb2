/**
 * Every door as one question: has this piece of work begun? A piece that was refused is tried again
 * after the lift, and not made anew: nothing may be lost.
 * How a door is knocked at is the adapter's; what is asked of all of them is `cases/every-door.ts`.
 */
import type {
  BegunDriver,
  BoardDriver,
  GatewayAdapter,
  OwnDriver,
  StartDriver,
  TurnDriver,
  WebhookDriver,
} from './adapter.ts';
import { DoorFailure } from './failure.ts';
import type { Trial } from './trial.ts';

export interface Knock<Gateway> {
  readonly door: string;
  /** Does it know who asks, so that a hold can let somebody pass? */
  readonly knowsWho: boolean;
  /** What the author forgot, where it lets work through. */
  readonly guard: string;
  /** Makes a piece of work; each call of the answer tries to begin it. */
  prepare(trial: Trial<Gateway>, principal: string): Promise<() => Promise<boolean>>;
  /** As `prepare`, and tells besides how much work has begun. null: the adapter cannot tell. */
  readonly watch: Watch<Gateway> | null;
}

type Watch<Gateway> = (trial: Trial<Gateway>, principal: string) => Promise<Watched>;

export interface Watched {
  readonly begin: () => Promise<unknown>;
  readonly begun: () => Promise<number>;
}

export function knocksOf<Gateway>(adapter: GatewayAdapter<Gateway>): Knock<Gateway>[] {
  const { doors, ownDoors = {}, begun } = adapter;
  const knocks: Plain<Gateway>[] = [];
  if (doors.turn) knocks.push(turnKnock(doors.turn));
  if (doors.cron) {
    const guard = 'ask `cronDoor(gate).tick()`, or `gate.dispatch("cron")`, before any job starts';
    knocks.push(startKnock('cron', doors.cron, guard));
  }
  if (doors['cron-misfire']) {
    const guard = 'ask `gate.dispatch("cron-misfire")` in the catch-up sweep, before each job';
    knocks.push(startKnock('cron-misfire', doors['cron-misfire'], guard));
  }
  if (doors['cron-webhook']) knocks.push(webhookKnock(doors['cron-webhook']));
  if (doors.kanban) knocks.push(boardKnock(doors.kanban));
  for (const [door, driver] of Object.entries(ownDoors)) knocks.push(ownKnock(door, driver));
  return knocks.map((knock) => ({ watch: begun ? countedBy(begun, knock) : null, ...knock }));
}

/** Without `watch`, it is counted by the adapter. */
type Plain<Gateway> = Omit<Knock<Gateway>, 'watch'> & Partial<Pick<Knock<Gateway>, 'watch'>>;

const countedBy =
  <Gateway>(count: BegunDriver<Gateway>, { door, prepare }: Plain<Gateway>): Watch<Gateway> =>
  async (trial, principal) => ({
    begin: await prepare(trial, principal),
    begun: () => trial.patience.answer('begun', () => count(trial.gateway, door)),
  });

const turnKnock = <Gateway>(turn: TurnDriver<Gateway>): Plain<Gateway> => ({
  door: 'turn',
  knowsWho: true,
  guard: 'ask `turnDoor(gate).decide(message)` before a turn begins',
  async prepare({ gateway, fresh, patience }, principal) {
    const message = { conversation: fresh('conversation'), principal, text: 'hello' };
    return async () => (await patience.answer('turn', () => turn(gateway, message))).admitted;
  },
});

const startKnock = <Gateway>(
  door: string,
  start: StartDriver<Gateway>,
  guard: string,
): Plain<Gateway> => ({
  door,
  knowsWho: false,
  guard,
  prepare:
    async ({ gateway, patience }) =>
    () =>
      patience.answer(door, () => start(gateway)),
});

const ownKnock = <Gateway>(door: string, own: OwnDriver<Gateway>): Plain<Gateway> => ({
  door,
  knowsWho: true,
  guard: `ask \`gate.admit({ door: "${door}", principal })\` before the work begins`,
  prepare:
    async ({ gateway, patience }, principal) =>
    () =>
      patience.answer(door, () => own(gateway, { principal })),
});

const webhookKnock = <Gateway>({ post, ran }: WebhookDriver<Gateway>): Plain<Gateway> => ({
  door: 'cron-webhook',
  knowsWho: true,
  guard: 'put `nodeDoor`, `expressDoor`, `fastifyDoor` or `fetchDoor` before your handler',
  async watch({ gateway, fresh, patience }, principal) {
    const id = fresh('delivery');
    const began = () => patience.answer('cron-webhook', () => ran(gateway, id));
    return {
      begin: () => patience.answer('cron-webhook', () => post(gateway, { id, principal })),
      begun: async () => Number(await began()),
    };
  },
  async prepare({ gateway, fresh, patience }, principal) {
    const id = fresh('delivery');
    const began = () => patience.answer('cron-webhook', () => ran(gateway, id));
    return async () => {
      const { status } = await patience.answer('cron-webhook', () =>
        post(gateway, { id, principal }),
      );
      if (status >= 200 && status < 300) {
        if (await patience.until(began)) return true;
        throw new DoorFailure(
          'cron-webhook',
          `a delivery was answered with ${status}, and its work never began`,
          'accept a delivery only when its work is sure to begin; does `ran` look at the right thing?',
        );
      }
      if (await began()) {
        throw new DoorFailure(
          'cron-webhook',
          `a delivery was answered with ${status}, and its work began all the same`,
          'ask the door before the handler, and end the request where it refuses',
        );
      }
      if (status === 503) return false;
      throw new DoorFailure(
        'cron-webhook',
        `a delivery of an authenticated sender was answered with ${status}`,
        'accepted is 2xx, and paused is 503; does `post` authenticate as the principal it is given?',
      );
    };
  },
});

const boardKnock = <Gateway>(board: BoardDriver<Gateway>): Plain<Gateway> => ({
  door: 'kanban',
  knowsWho: false,
  guard: 'ask `gate.dispatch("kanban")` before a card is claimed; `kanbanDoor` and `twoStep` do',
  async watch({ gateway, patience }) {
    const id = await patience.answer('kanban', () => board.add(gateway));
    const card = () => patience.answer('kanban', () => board.card(gateway, id));
    return {
      begin: () => patience.answer('kanban', () => board.dispatch(gateway, async () => {})),
      begun: async () => Number((await card()).state === 'spawned'),
    };
  },
  async prepare({ gateway, patience }) {
    const id = await patience.answer('kanban', () => board.add(gateway));
    return async () => {
      await patience.answer('kanban', () => board.dispatch(gateway, async () => {}));
      return (await patience.answer('kanban', () => board.card(gateway, id))).state === 'spawned';
    };
  },
});
