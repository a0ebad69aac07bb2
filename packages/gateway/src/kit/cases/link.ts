/**
 * The cases for the link to the watcher: the gateway connects, acknowledges only what its disk shows, and
 * a push neither opens nor closes a door.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import type { Probe } from '../probe.ts';
import { mustBegin, mustNotBegin } from './every-door.ts';

const DOOR = 'link';
/** Milliseconds in which a gateway that trusts the watcher would have acknowledged. */
const WATCHED_MS = 300;
const LINK =
  'do not set `link: false` for `openGate`, or use `openLink`, for the root that `start` got; if your gateway never links, set `link: null`';

export const linkCases = <Gateway>(): Case<Gateway>[] => [
  {
    door: DOOR,
    title: 'sends a hello to the watcher, and acknowledges a hold and its lift',
    async run(context) {
      await mustLink(context);
      const { fleet } = context;
      const { profile, watcher } = fleet;
      const id = fleet.arm('profile');
      const held = watcher.say(profile, [{ scope: 'profile', id }]);
      await mustAcknowledge(context, held, 'a hold that is on disk');
      fleet.lift('profile');
      const free = watcher.say(profile, []);
      await mustAcknowledge(context, free, 'that nothing holds, as on disk');
    },
  },
  {
    door: DOOR,
    title: 'acknowledges no hold that is not on its disk',
    async run(context) {
      await mustLink(context);
      const { profile, watcher } = context.fleet;
      const revision = watcher.say(profile, [{ scope: 'profile', id: context.fresh('hold') }]);
      await delay(WATCHED_MS);
      if (!watcher.hasAcknowledged(profile, revision)) return;
      throw new DoorFailure(
        DOOR,
        'a hold that is not on disk was acknowledged',
        'acknowledge only what is on disk, because your doors decide from it; `openGate` and `openLink` do',
      );
    },
  },
];

/** For each door of a gateway that links. */
export const goesByTheDisk = <Gateway>(probe: Probe<Gateway>): Case<Gateway> => ({
  door: probe.door,
  title: 'decides from the disk, whatever the watcher pushes and after it is gone',
  spoils: true,
  async run(context) {
    await mustLink(context);
    const { fleet, principals } = context;
    const { profile, watcher } = fleet;
    const hint = 'use pushes only to react: ask the disk at each admission (the gate does)';
    const begin = await probe.prepare(context, principals.other);
    fleet.arm('profile');
    watcher.say(profile, []);
    const said = 'the watcher pushed that nothing holds, a hold is on disk';
    await mustNotBegin(probe, begin, said, hint);
    fleet.lift('profile');
    watcher.say(profile, [{ scope: 'profile', id: context.fresh('hold') }]);
    await mustBegin(context, probe, begin, 'the watcher pushed a hold, none is on disk');
    const again = await probe.prepare(context, principals.other);
    fleet.arm('root');
    watcher.leave();
    await mustNotBegin(probe, again, 'the watcher is gone, a hold is on disk', hint);
    fleet.lift('root');
    await mustBegin(context, probe, again, 'the watcher is gone, and nothing holds');
  },
});

async function mustLink<Gateway>({ fleet, patience }: CaseContext<Gateway>): Promise<void> {
  if (await patience.until(() => fleet.watcher.linked().includes(fleet.profile))) return;
  const others = fleet.watcher.linked();
  const said =
    others.length === 0
      ? 'no gateway sent a hello to the watcher'
      : `the hello to the watcher does not name \`${fleet.profile}\``;
  throw new DoorFailure(DOOR, `${said} within ${patience.ms / 1000} s`, LINK);
}

async function mustAcknowledge<Gateway>(
  { fleet, patience }: CaseContext<Gateway>,
  revision: number,
  what: string,
): Promise<void> {
  if (await patience.until(() => fleet.watcher.hasAcknowledged(fleet.profile, revision))) return;
  throw new DoorFailure(
    DOOR,
    `the watcher pushed ${what}, and it was not acknowledged within ${patience.ms / 1000} s`,
    'let the link read the same disk as the watcher; `openGate` and `openLink` acknowledge by themselves',
  );
}
