/**
 * Designs that were rejected, and must be found guilty: an explorer that acquits them is broken.
 * Each one has its own check and its own way to retire an expired sentinel; none has a recovery.
 */
import { actorsOf, INITIAL } from './catalogue.ts';
import { explore, type Report } from './explore.ts';
import type { ModelDisk } from './model-disk.ts';
import { failureOf, inspect, SENTINEL } from './protocol.ts';

interface RejectedDesign {
  readonly about: string;
  readonly check: (disk: ModelDisk) => { readonly engaged: boolean };
  readonly retire: (disk: ModelDisk) => void;
  /** Who meets over an expired sentinel. */
  readonly meetings: readonly (readonly string[])[];
}

const stateOf = (disk: ModelDisk, path: string) => inspect(disk, path, disk.now()).state;
const holds = (disk: ModelDisk, path: string): boolean =>
  disk.lstat(path) !== null && stateOf(disk, path) === 'active';

const checkSentinel = (disk: ModelDisk) => ({ engaged: holds(disk, SENTINEL) });

const MEETINGS = [
  ['check', 'retire', 'wren'],
  ['check', 'retire', 'wtext'],
  ['retire', 'retire', 'wren'],
  ['retire', 'retire', 'touch'],
];
const WITH_CHECK = [...MEETINGS, ['check', 'retire', 'retire', 'wren']];

const ASIDE = '.ESTOP.retiring';
const LOCK = '.ESTOP.lock';

/** Drops what is aside if it has expired, and gives it back if not; unless the name is taken. */
function finishAside(disk: ModelDisk, aside: string): void {
  const state = stateOf(disk, aside);
  if (state === 'absent') return;
  if (state !== 'expired') failureOf(() => disk.link(aside, SENTINEL));
  failureOf(() => disk.unlink(aside));
}

export const REJECTED: Readonly<Record<string, RejectedDesign>> = {
  upstream: {
    about: 'moves the sentinel aside under a name of its own, looks at it there, links it back',
    check: checkSentinel,
    retire(disk) {
      if (stateOf(disk, SENTINEL) !== 'expired') return;
      const aside = `${ASIDE}-${disk.token()}`;
      if (failureOf(() => disk.rename(SENTINEL, aside)) === '') finishAside(disk, aside);
    },
    meetings: MEETINGS,
  },
  'fixed-name': {
    about: 'moves the sentinel aside under one name, which a check looks at, too',
    check: (disk) => ({
      engaged: [SENTINEL, ASIDE, SENTINEL].some((path) => holds(disk, path)),
    }),
    retire(disk) {
      if (stateOf(disk, SENTINEL) !== 'expired') return;
      if (disk.lstat(ASIDE) === null && failureOf(() => disk.rename(SENTINEL, ASIDE)) !== '') {
        return;
      }
      finishAside(disk, ASIDE);
    },
    meetings: WITH_CHECK,
  },
  lock: {
    about: 'the same under a lock that is broken when it looks stale',
    check(disk) {
      const locked = disk.lstat(LOCK) !== null;
      return {
        engaged: (locked && (holds(disk, SENTINEL) || holds(disk, ASIDE))) || holds(disk, SENTINEL),
      };
    },
    retire(disk) {
      if (!takeLock(disk)) return;
      finishAside(disk, ASIDE);
      if (stateOf(disk, SENTINEL) === 'expired') {
        if (failureOf(() => disk.rename(SENTINEL, ASIDE)) === '') finishAside(disk, ASIDE);
      }
      failureOf(() => disk.rmdir(LOCK));
    },
    meetings: WITH_CHECK,
  },
  'pin-and-unlink': {
    about: 'pins the file by a link, looks at it, and unlinks the sentinel by its name',
    check: checkSentinel,
    retire(disk) {
      const pin = `.ESTOP.pin-${disk.token()}`;
      if (failureOf(() => disk.link(SENTINEL, pin)) !== '') return;
      if (stateOf(disk, pin) === 'expired') {
        const pinned = disk.lstat(pin);
        if (pinned !== null && disk.lstat(SENTINEL)?.ino === pinned.ino) {
          failureOf(() => disk.unlink(SENTINEL));
        }
      }
      failureOf(() => disk.unlink(pin));
    },
    meetings: MEETINGS,
  },
  tombstone: {
    about: 'renames an expired tombstone over the sentinel and unlinks that',
    check: checkSentinel,
    retire(disk) {
      if (stateOf(disk, SENTINEL) !== 'expired') return;
      const tombstone = `.ESTOP.tomb-${disk.token()}`;
      const handle = disk.open(tombstone, 'wx');
      disk.write(handle, '{"generation":"tomb","expires_at":"1970-01-01T00:00:00.000+00:00"}');
      disk.close(handle);
      const own = disk.lstat(tombstone);
      failureOf(() => disk.rename(tombstone, SENTINEL));
      if (own !== null && disk.lstat(SENTINEL)?.ino === own.ino) {
        failureOf(() => disk.unlink(SENTINEL));
      }
    },
    meetings: MEETINGS,
  },
};

function takeLock(disk: ModelDisk): boolean {
  if (failureOf(() => disk.mkdir(LOCK)) === '') return true;
  if (!disk.stale(LOCK)) return false;
  failureOf(() => disk.rmdir(LOCK));
  return failureOf(() => disk.mkdir(LOCK)) === '';
}

export function runRejected(
  name: string,
  meeting: readonly string[],
  { untilFault = false }: { untilFault?: boolean } = {},
): Report {
  const design = REJECTED[name];
  if (design === undefined) throw new Error(`no such design: \`${name}\``);
  const { check, retire } = design;
  const actors = actorsOf(meeting).map((actor) => {
    const run = { check, retire }[actor.kind];
    return run === undefined ? actor : { ...actor, run };
  });
  return explore(
    { initial: INITIAL['dead']!, actors, design: { check, recover: null } },
    {
      kills: 1,
      failures: 0,
      failing: 'space',
      lateCalls: false,
      linksRefused: false,
      plain: false,
      cap: 400_000,
      untilFault,
    },
  );
}
