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
import type { CaseContext } from './case.ts';
import { DoorFailure } from './failure.ts';

export interface Probe<Gateway> {
  readonly door: string;
  /** Does it know who asks, so that a hold can let somebody pass? */
  readonly knowsWho: boolean;
  /** What the author forgot, where it lets work through. */
  readonly guard: string;
  /** Makes a piece of work; each call of the answer tries to begin it. */
  prepare(context: CaseContext<Gateway>, principal: string): Promise<() => Promise<boolean>>;
  /** As `prepare`, and tells besides how much work has begun. null: the adapter cannot tell. */
  readonly watch: Watch<Gateway> | null;
}

type Watch<Gateway> = (context: CaseContext<Gateway>, principal: string) => Promise<Watched>;

export interface Watched {
  readonly begin: () => Promise<unknown>;
  readonly begun: () => Promise<number>;
}

export function probesOf<Gateway>(adapter: GatewayAdapter<Gateway>): Probe<Gateway>[] {
  const { doors, ownDoors = {}, begun } = adapter;
  const probes: UncountedProbe<Gateway>[] = [];
  if (doors.turn) probes.push(turnProbe(doors.turn));
  if (doors.cron) {
    const guard = 'ask `cronDoor(gate).tick()`, or `gate.dispatch("cron")`, before any job starts';
    probes.push(startProbe('cron', doors.cron, guard));
  }
  if (doors['cron-misfire']) {
    const guard = 'ask `gate.dispatch("cron-misfire")` in the catch-up sweep, before each job';
    probes.push(startProbe('cron-misfire', doors['cron-misfire'], guard));
  }
  if (doors['cron-webhook']) probes.push(webhookProbe(doors['cron-webhook']));
  if (doors.kanban) probes.push(boardProbe(doors.kanban));
  for (const [door, driver] of Object.entries(ownDoors)) probes.push(ownProbe(door, driver));
  return probes.map((probe) => ({ watch: begun ? countedBy(begun, probe) : null, ...probe }));
}

/** Without `watch`, it is counted by the adapter. */
type UncountedProbe<Gateway> = Omit<Probe<Gateway>, 'watch'> &
  Partial<Pick<Probe<Gateway>, 'watch'>>;

const countedBy =
  <Gateway>(
    count: BegunDriver<Gateway>,
    { door, prepare }: UncountedProbe<Gateway>,
  ): Watch<Gateway> =>
  async (context, principal) => ({
    begin: await prepare(context, principal),
    begun: () => context.patience.answer('begun', () => count(context.gateway, door)),
  });

const turnProbe = <Gateway>(turn: TurnDriver<Gateway>): UncountedProbe<Gateway> => ({
  door: 'turn',
  knowsWho: true,
  guard: 'ask `turnDoor(gate).decide(message)` before a turn begins',
  async prepare({ gateway, fresh, patience }, principal) {
    const message = { conversation: fresh('conversation'), principal, text: 'hello' };
    return async () => (await patience.answer('turn', () => turn(gateway, message))).admitted;
  },
});

const startProbe = <Gateway>(
  door: string,
  start: StartDriver<Gateway>,
  guard: string,
): UncountedProbe<Gateway> => ({
  door,
  knowsWho: false,
  guard,
  prepare:
    async ({ gateway, patience }) =>
    () =>
      patience.answer(door, () => start(gateway)),
});

const ownProbe = <Gateway>(door: string, own: OwnDriver<Gateway>): UncountedProbe<Gateway> => ({
  door,
  knowsWho: true,
  guard: `ask \`gate.admit({ door: "${door}", principal })\` before the work begins`,
  prepare:
    async ({ gateway, patience }, principal) =>
    () =>
      patience.answer(door, () => own(gateway, { principal })),
});

const webhookProbe = <Gateway>({ post, ran }: WebhookDriver<Gateway>): UncountedProbe<Gateway> => ({
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

const boardProbe = <Gateway>(board: BoardDriver<Gateway>): UncountedProbe<Gateway> => ({
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
