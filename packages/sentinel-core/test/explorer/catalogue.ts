/**
 * The actors and the initial sentinels that scenarios are made of. Holders: `h`, `k`, `operator`.
 */
import type { Actor } from './actor.ts';
import type { ModelDisk } from './model-disk.ts';
import { AFTER_TICK, BEFORE_TICK, type Content, FIFO, FOLDER, linkTo } from './posix-world.ts';
import {
  type ArmRequest,
  arm,
  check,
  DEFAULT_HOLDER,
  failureOf,
  formatInstant,
  type LiftOptions,
  type LiftSelection,
  lift,
  newName,
  type Patience,
  pinName,
  readBody,
  recover,
  retire,
  SENTINEL,
  TENURE,
  writeBody,
} from './protocol.ts';
import { inspectContent } from './reading.ts';

/** The clock stands at 10 s, and at 20 s after a tick. */
const at = (seconds: number): string => formatInstant(seconds * 1000);
const PASSED = at(5);
const SOON = at(15);
const FAR = at(30);

/**
 * As impatient as can be: every way out is taken within few steps. No look afterwards for what a
 * foreign gate moves aside: it only reads, no actor here moves that way, and it would be 60 % more
 * states. With one look, all quick sets were explored once and clean.
 */
const PATIENCE: Patience = { tries: 1, rounds: 2, waitMs: 0, quietLooks: 0 };

type Kind = (id: string) => Omit<Actor, 'id' | 'index' | 'name' | 'kind'>;

const arms =
  (request: ArmRequest): Kind =>
  () => ({
    role: 'library',
    arm: { holder: DEFAULT_HOLDER, ...request },
    run: (disk) => arm(disk, '', request, PATIENCE),
    // On its only try it takes the tenure over, whatever it is told of the owner.
    forces: true,
  });

const lifts =
  (selection: LiftSelection, options: LiftOptions = {}): Kind =>
  () => ({
    role: 'library',
    lift: selection,
    run: (disk) => lift(disk, '', selection, options, PATIENCE),
  });

/** The same, by a process whose clock is as far ahead as a tick takes it. */
const ahead =
  (kind: Kind): Kind =>
  (id) => {
    const actor = kind(id);
    const aheadMs = AFTER_TICK - BEFORE_TICK;
    return { ...actor, run: (disk) => actor.run(Object.assign(disk, { aheadMs })) };
  };

const foreign =
  (write: (disk: ModelDisk, id: string) => void, more: { writesInPlace?: true } = {}): Kind =>
  (id) => ({ role: 'foreign', run: (disk) => write(disk, id), ...more });

const body = (generation: string, id: string) =>
  JSON.stringify({ generation: generation + id, allow: { user_ids: ['u'] } });

const KINDS: Readonly<Record<string, Kind>> = {
  check: () => ({ role: 'check', run: (disk) => check(disk, '') }),
  retire: () => ({ role: 'library', run: (disk) => retire(disk, '', PATIENCE) }),
  recover: () => ({ role: 'library', run: (disk) => recover(disk, ''), sweeps: true }),

  armO: arms({}),
  armH: arms({ holder: 'h' }),
  armK: arms({ holder: 'k' }),
  armHx: arms({ holder: 'h', expiresAt: SOON }),
  armHs: arms({ holder: 'h', expiresAt: FAR, reason: 'another' }),
  armKs: arms({ holder: 'k', expiresAt: null, allow: null }),
  armOx: arms({ expiresAt: SOON, allow: { userIds: ['u'] } }),
  casZ: arms({ expectGeneration: 'Z' }),
  cas0: arms({ expectGeneration: null }),

  liftH: lifts({ holder: 'h' }),
  liftK: lifts({ holder: 'k' }),
  liftO: lifts({ holder: DEFAULT_HOLDER }),
  liftHid: lifts({ id: 'H' }),
  liftZ: lifts({ holder: 'h' }, { ifGeneration: 'Z' }),
  all: lifts({ everyone: true }),
  allZ: lifts({ everyone: true }, { ifGeneration: 'Z' }),

  aheadO: ahead(arms({})),
  aheadK: ahead(lifts({ holder: 'k' })),

  touch: foreign((disk) => disk.touch(SENTINEL)),
  rm: foreign((disk) => failureOf(() => disk.unlink(SENTINEL))),
  /** A shell's `>`: empties the file or creates one, then writes. */
  wtext: foreign(
    (disk, id) =>
      failureOf(() => {
        const handle = disk.overwrite(SENTINEL);
        disk.write(handle, body('W', id));
        disk.close(handle);
      }),
    { writesInPlace: true },
  ),
  /** Writes beside and renames over. */
  wren: foreign((disk, id) =>
    failureOf(() => {
      disk.put(`draft-of-${id}`, body('R', id));
      disk.rename(`draft-of-${id}`, SENTINEL);
    }),
  ),
  tick: foreign((disk) => disk.tick()),
};

export const actorsOf = (kinds: readonly string[]): Actor[] =>
  kinds.map((kind, index) => {
    const id = 'abcd'.charAt(index);
    const make = KINDS[kind];
    if (make === undefined) throw new Error(`no such actor: \`${kind}\``);
    return { id, index, name: `${kind}#${id}`, kind, ...make(id) };
  });

type Files = Readonly<Record<string, Content>>;
type Entry = Readonly<Record<string, unknown>>;
const allow = (...ids: string[]) => ({ user_ids: ids });
const ofH = (more: Entry = {}): Entry => ({
  id: 'H',
  holder: 'h',
  reason: 'of h',
  engaged_at: at(1),
  allow: allow('u', 'v'),
  ...more,
});
const ofK = (more: Entry = {}): Entry => ({
  id: 'K',
  holder: 'k',
  engaged_at: at(2),
  allow: allow('u'),
  ...more,
});

const sentinel = (content: Content): Files => ({ [SENTINEL]: content });
const legacy = (fields: Entry): Files => sentinel(JSON.stringify(fields));
const holding = (generation: string, ...holds: Entry[]): Files =>
  sentinel(writeBody(generation, readBody(JSON.stringify({ holds }), '')?.holds ?? [], {}));

const DEAD = `${TENURE}/x0-0`;
const CLAIM = `${DEAD}/claimed:x0-0`;
const asideInTenure = (files: Files): Files => ({
  [TENURE]: FOLDER,
  [DEAD]: FOLDER,
  [CLAIM]: files[SENTINEL]!,
});
/** The same, and its owner had pinned that very file before, for a commit that did not come. */
const asideAndPinned = (files: Files): Files => {
  const claimed = asideInTenure(files);
  const ino = `i${Object.keys(claimed).indexOf(CLAIM)}`;
  const pin = pinName('x0-0', 0, inspectContent(claimed[CLAIM]!, ino, BEFORE_TICK));
  return {
    ...claimed,
    [`${DEAD}/${newName('x0-0', 0)}`]: 'a body',
    [`${DEAD}/${pin}`]: linkTo(CLAIM),
  };
};

export const INITIAL: Readonly<Record<string, Files>> = {
  absent: {},
  empty: sentinel(''),
  fifo: sentinel(FIFO),
  folder: sentinel(FOLDER),
  fullFolder: { [SENTINEL]: FOLDER, [`${SENTINEL}/x`]: '' },
  /** Somebody's file (`.DS_Store`) where the owner of a tenure would be. */
  strayed: { [TENURE]: FOLDER, [`${TENURE}/x`]: '' },
  strayedHold: { ...holding('Z', ofH(), ofK()), [TENURE]: FOLDER, [`${TENURE}/x`]: '' },
  /** What a dead owner took out by mistake lies in its tenure, with nothing in its place, or a hold. */
  aside: asideInTenure(holding('Z', ofH())),
  asidePinned: { ...asideAndPinned(holding('Y', ofH())), ...holding('Z', ofK()) },
  asideToo: { ...holding('Z', ofK()), ...asideInTenure(holding('Y', ofH())) },
  /** Of an older tool, expired; and the same by two holders. */
  dead: legacy({ generation: 'E', expires_at: PASSED }),
  dead2: holding('E', ofH({ expires_at: PASSED }), ofK({ expires_at: at(6) })),
  anonymous: legacy({ generation: 'L', allow: allow('u') }),
  hold: holding('Z', ofH()),
  two: holding('Z', ofH(), ofK()),
  /** One of two has expired. */
  mixed: holding('Z', ofH({ expires_at: PASSED }), ofK()),
  /** Before the tick they stand; after it these have expired. */
  soon: holding('Z', ofH({ expires_at: SOON })),
  soon2: holding('Z', ofH({ expires_at: SOON }), ofK()),
  both: holding('Z', ofH({ expires_at: SOON }), ofK({ expires_at: at(12) })),
};
