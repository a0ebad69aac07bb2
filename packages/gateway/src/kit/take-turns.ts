/**
 * Runs the cases one after the other on one gateway and one fleet: each starts with nothing armed, and
 * none sees another.
 */
import type { GatewayAdapter } from './adapter.ts';
import type { CaseContext, Patience } from './case.ts';
import { type Fleet, makeFleet } from './fleet.ts';

type Start<Gateway> = Pick<CaseContext<Gateway>, 'gateway' | 'fleet' | 'fresh'>;

export interface Turns<Gateway> {
  /** Runs one case after those before it. `keep`: the next case may reuse the gateway if this one passes. */
  take(
    run: (start: Start<Gateway>) => Promise<void>,
    how: { readonly keep: boolean },
  ): Promise<void>;
  stop(): Promise<void>;
}

export function takeTurns<Gateway>(
  adapter: GatewayAdapter<Gateway>,
  patience: Patience,
): Turns<Gateway> {
  let kept: { gateway: Gateway; fleet: Fleet } | undefined;
  let before: Promise<unknown> = Promise.resolve();
  let names = 0;
  const fresh = (kind: string): string => {
    names += 1;
    return `kit-${kind}-${names}`;
  };

  const open = async () => {
    if (kept !== undefined) return kept;
    const fleet = await makeFleet();
    const { root, home, profile } = fleet;
    // `async` turns a synchronous throw into a rejection.
    const starting = (async () => adapter.start({ root, home, profile }))();
    try {
      const gateway = await patience.answer('start', () => starting);
      kept = { gateway, fleet };
      return kept;
    } catch (error) {
      // A gateway that starts after the deadline must still be stopped.
      starting.then((gateway) => adapter.stop(gateway)).catch(() => {});
      fleet.remove();
      throw error;
    }
  };

  const close = async (): Promise<void> => {
    if (kept === undefined) return;
    const { gateway, fleet } = kept;
    kept = undefined;
    try {
      await patience.answer('stop', () => adapter.stop(gateway));
    } finally {
      fleet.remove();
    }
  };

  const run = async (
    one: (start: Start<Gateway>) => Promise<void>,
    keep: boolean,
  ): Promise<void> => {
    const { gateway, fleet } = await open();
    try {
      await one({ gateway, fleet, fresh });
    } catch (error) {
      fleet.clear();
      // A failure to stop must not hide the failure of the case.
      await close().catch(() => {});
      throw error;
    }
    // Lift before stopping: the gateway may wait for its work.
    fleet.clear();
    if (!keep) await close();
  };

  return {
    take(one, { keep }) {
      const mine = before.then(() => run(one, keep));
      before = mine.catch(() => {});
      return mine;
    },
    async stop() {
      await before;
      await close();
    },
  };
}
