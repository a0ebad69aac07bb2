/**
 * What is asked of the link to the watcher: that there is one, that it acknowledges what its disk shows
 * and nothing else, and that what the watcher says opens and closes no door.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import type { Probe } from '../probe.ts';
import { mustBegin, mustNotBegin } from './every-door.ts';

const DOOR = 'link';
/** Milliseconds in which a gateway that believes the watcher has acknowledged what it was told. */
const WATCHED_MS = 300;
const LINK =
  'leave `link` of `openGate` alone, or use `openLink`, for the root that `start` was given; where your gateway never links, say `link: null`';

export const linkCases = <Gateway>(): Case<Gateway>[] => [
  {
    door: DOOR,
    title: 'says hello to the watcher, and acknowledges a hold and its lift',
    async run(context) {
      await mustLink(context);
      const { fleet } = context;
      const { profile, watcher } = fleet;
      const id = fleet.arm('profile');
      const held = watcher.say(profile, [{ scope: 'profile', id }]);
      await mustAcknowledge(context, held, 'that a hold stands, which stands on disk');
      fleet.lift('profile');
      const free = watcher.say(profile, []);
      await mustAcknowledge(context, free, 'that nothing stands, as on disk');
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
        'a hold that does not stand on disk was acknowledged',
        'acknowledge what your doors go by, which is the disk; `openGate` and `openLink` do',
      );
    },
  },
];

/** Of a door whose gateway links. */
export const goesByTheDisk = <Gateway>(probe: Probe<Gateway>): Case<Gateway> => ({
  door: probe.door,
  title: 'goes by the disk, whatever the watcher says, and when it is gone',
  spoils: true,
  async run(context) {
    await mustLink(context);
    const { fleet, principals } = context;
    const { profile, watcher } = fleet;
    const hint = 'the push is for reacting: ask the disk at each admission (the gate does)';
    const begin = await probe.prepare(context, principals.other);
    fleet.arm('profile');
    watcher.say(profile, []);
    const said = 'the watcher says that nothing holds, a hold stands on disk';
    await mustNotBegin(probe, begin, said, hint);
    fleet.lift('profile');
    watcher.say(profile, [{ scope: 'profile', id: context.fresh('hold') }]);
    await mustBegin(context, probe, begin, 'the watcher says that a hold stands, none does');
    const again = await probe.prepare(context, principals.other);
    fleet.arm('root');
    watcher.leave();
    await mustNotBegin(probe, again, 'the watcher is gone, a hold stands on disk', hint);
    fleet.lift('root');
    await mustBegin(context, probe, again, 'the watcher is gone, and nothing holds');
  },
});

async function mustLink<Gateway>({ fleet, patience }: CaseContext<Gateway>): Promise<void> {
  if (await patience.until(() => fleet.watcher.linked().includes(fleet.profile))) return;
  const others = fleet.watcher.linked();
  const said =
    others.length === 0
      ? 'no gateway said hello to the watcher'
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
    `the watcher said ${what}, and it was not acknowledged within ${patience.ms / 1000} s`,
    'let the link look at the same disk as the watcher; `openGate` and `openLink` acknowledge by themselves',
  );
}
