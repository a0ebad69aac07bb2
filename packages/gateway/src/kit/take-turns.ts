/**
 * Cases take turns at one gateway and one fleet: each finds nothing armed, and none sees another.
 */
import type { GatewayAdapter } from './adapter.ts';
import type { CaseContext, Patience } from './case.ts';
import { type Fleet, makeFleet } from './fleet.ts';

type Start<Gateway> = Pick<CaseContext<Gateway>, 'gateway' | 'fleet' | 'fresh'>;

export interface Turns<Gateway> {
  /** `keep`: the next case may use the same gateway, if this one passes. */
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
    // `async`, so that what it throws at once is a rejection too.
    const starting = (async () => adapter.start({ root, home, profile }))();
    try {
      const gateway = await patience.answer('start', () => starting);
      kept = { gateway, fleet };
      return kept;
    } catch (error) {
      // Started too late, it would be nobody's to stop.
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
      // What is wrong is said already; that it also does not stop must not hide it.
      await close().catch(() => {});
      throw error;
    }
    // Before it is stopped: a gateway may wait for its work.
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
