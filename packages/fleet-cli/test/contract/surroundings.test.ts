/**
 * Five verbs where a process has less around it than it is used to: a documented status, the same
 * answer where the fleet is named, and nothing made anywhere else.
 * Closed streams of commands that are wrapped are `gate/decision.test.ts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  everythingBelow,
  exists,
  fleetAt,
  type Outcome,
  PASSED,
  place,
  runInShell,
  temporaryFolder,
} from '../support/fleet.ts';
import { snapshotOf } from '../support/snapshot.ts';

type State = 'free' | 'held';

/** With the statuses of a free and of a held fleet. */
const VERBS: readonly (readonly [
  words: readonly string[],
  codes: Readonly<Record<State, number>>,
])[] = [
  [['pause'], { free: 0, held: 0 }],
  [['resume'], { free: 0, held: 1 }],
  [['status'], { free: 0, held: 0 }],
  [['assert', 'running'], { free: 0, held: 1 }],
  [['assert', 'paused'], { free: 1, held: 0 }],
  [['gate'], { free: 0, held: 75 }],
];
const WRITING: ReadonlySet<string | undefined> = new Set(['pause', 'resume']);

/** A folder with nothing around the fleet but empty places, where anything new would be seen. */
function makeWorld(state: State) {
  const world = temporaryFolder();
  for (const name of ['fleet/profiles/lane-a', 'home', 'here', 'tmp']) {
    mkdirSync(join(world, name), { recursive: true });
  }
  writeFileSync(join(world, 'file'), '');
  const root = join(world, 'fleet');
  const { sentinel } = fleetAt(root);
  const holds = [{ id: 'h1', holder: 'sre', reason: 'x' }];
  if (state === 'held') place(sentinel(), { generation: 'g1', holds, engaged_at: PASSED });
  return { world, root, sentinel: sentinel() };
}

type World = ReturnType<typeof makeWorld>;

/** Lines of bash in which `"$@"` is the command; a world's folders are in its environment. */
const SURROUNDINGS: readonly (readonly [what: string, line: string])[] = [
  ['an empty environment', 'exec env -i "$@"'],
  ['no HOME', 'unset HOME; exec "$@"'],
  ['an empty HOME', 'HOME= exec "$@"'],
  ['a file as HOME', 'HOME="$WORLD/file" exec "$@"'],
  ['a HOME that is relative', 'HOME=here exec "$@"'],
  ['no PATH', 'unset PATH; exec "$@"'],
  ['a working folder that was deleted', 'rmdir "$WORLD/here"; exec "$@"'],
  ['that, and an empty environment', 'rmdir "$WORLD/here"; exec env -i "$@"'],
  ['a closed stdin', 'exec "$@" <&-'],
  ['a closed stderr', 'exec "$@" 2>&-'],
  ['a stderr on a full disk', 'exec "$@" 2>/dev/full'],
  ['all streams closed', 'exec "$@" <&- >&- 2>&-'],
  ['a TMPDIR in which nobody can write', 'TMPDIR=/proc exec "$@"'],
  ['a TMPDIR that is not there', 'TMPDIR=/nowhere/tmp exec "$@"'],
  ['a locale that does not exist', 'LC_ALL=xx_XX.nothing LANG="../../etc" exec "$@"'],
  ['a locale with a case of its own', 'LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 exec "$@"'],
  ['a time zone that is none', 'TZ="../../etc/passwd" exec "$@"'],
  ['a time zone that is a device', 'TZ=":/dev/zero" exec "$@"'],
  ['a time zone on the other side of the date line', 'TZ=Pacific/Kiritimati exec "$@"'],
  ['a umask that takes everything', 'umask 0777; exec "$@"'],
  ['few files that may be open', 'ulimit -n 24; exec "$@"'],
];

const runIn = ({ world }: World, line: string, words: readonly string[]): Outcome =>
  runInShell(line, words, {
    cwd: join(world, 'here'),
    env: { WORLD: world, HOME: join(world, 'home'), TMPDIR: join(world, 'tmp') },
  });

/** Everything around the fleet; the working folder may have been deleted by the test itself. */
const around = ({ world }: World): string[] =>
  everythingBelow(world).filter((path) => path !== 'here' && !path.startsWith('fleet'));

/** Where a home folder that nobody named would be found. */
const ownHome = (): boolean[] =>
  ['.fleet', '.hermes'].map((name) => exists(join(userInfo().homedir, name)));

describe.each(SURROUNDINGS)('with %s', (_what, line) => {
  describe.each<State>(['free', 'held'])('and a %s fleet', (state) => {
    it.each(VERBS)('%j has its ordinary status, and writes nowhere else', (words, codes) => {
      const world = makeWorld(state);
      const before = { around: around(world), own: ownHome(), root: snapshotOf(world.root) };
      const outcome = runIn(world, line, [...words, '--root', world.root]);
      expect(outcome.code, outcome.stderr).toBe(codes[state]);
      expect(around(world)).toEqual(before.around);
      expect(ownHome()).toEqual(before.own);
      if (!WRITING.has(words[0])) expect(snapshotOf(world.root)).toEqual(before.root);
      expect(exists(world.sentinel)).toBe(state === 'held' || words[0] === 'pause');
    });
  });
});

describe('where no fleet is named and none can be found', () => {
  const HOMELESS: readonly (readonly [what: string, line: string])[] = [
    ['an empty environment', 'exec env -i "$@"'],
    ['no HOME', 'unset HOME; exec "$@"'],
    ['an empty HOME', 'HOME= exec "$@"'],
    ['an empty home folder', 'exec "$@"'],
    ['a file as HOME', 'HOME="$WORLD/file" exec "$@"'],
    ['a HOME that is gone', 'HOME=/nowhere/home exec "$@"'],
    ['a deleted working folder', 'rmdir "$WORLD/here"; exec env -i "$@"'],
    ['a deleted working folder as root', 'rmdir "$WORLD/here"; FLEET_ROOT=. exec "$@"'],
    ['a closed stderr', 'unset HOME; exec "$@" 2>&-'],
  ];
  describe.each(HOMELESS)('with %s', (_what, line) => {
    it.each(VERBS)('%j is refused with 2, and no fleet is made', (words) => {
      const world = makeWorld('free');
      const before = { around: around(world), own: ownHome(), root: snapshotOf(world.root) };
      const { code, stdout, stderr } = runIn(world, line, words);
      expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
      expect({ around: around(world), own: ownHome(), root: snapshotOf(world.root) }).toEqual(
        before,
      );
    });
  });
});

describe('with a HOME that is relative to a deleted working folder', () => {
  it.each(VERBS)('%j is ended by Node itself, which is no success, and makes no fleet', (words) => {
    const world = makeWorld('free');
    const root = snapshotOf(world.root);
    const { code, stdout } = runIn(world, 'rmdir "$WORLD/here"; HOME=. exec "$@"', words);
    expect([1, 2]).toContain(code);
    expect(stdout).toBe('');
    expect(snapshotOf(world.root)).toEqual(root);
  });
});
