/**
 * Gives every kind of door the same interface: create a piece of work, and try to begin it. A refused
 * piece is tried again after the lift instead of being replaced: nothing may be lost.
 * How work starts at a door is the adapter's; the cases for all doors are `cases/every-door.ts`.
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
  /** true if the door knows the principal, so that an allowlist can admit it. */
  readonly knowsWho: boolean;
  /** The hint for a door that lets work through: what the author forgot. */
  readonly guard: string;
  /** Creates a piece of work. Each call of the returned function tries to begin it. */
  prepare(context: CaseContext<Gateway>, principal: string): Promise<() => Promise<boolean>>;
  /** Like `prepare`, and also counts the work that has begun; null if the adapter cannot count it. */
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

/** A probe without its own `watch`; the adapter's `begun` counts instead. */
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
          `a delivery was answered with ${status}, but its work never began`,
          'accept a delivery only if its work will certainly begin; check that `ran` looks at the right work',
        );
      }
      if (await began()) {
        throw new DoorFailure(
          'cron-webhook',
          `a delivery was answered with ${status}, but its work began anyway`,
          'ask the door before the handler, and end the request if it refuses',
        );
      }
      if (status === 503) return false;
      throw new DoorFailure(
        'cron-webhook',
        `a delivery of an authenticated sender was answered with ${status}`,
        'answer 2xx if accepted and 503 if paused; check that `post` authenticates as its principal',
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
