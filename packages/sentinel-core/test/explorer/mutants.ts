/**
 * Broken versions of the shipped protocol, as edits of its text. Each must be found guilty by at
 * least one of the small explorations named with it: an explorer that acquits one cannot be trusted
 * to acquit the original.
 */
import type { Scenario } from './scenarios.ts';

export interface Mutant {
  readonly name: string;
  /** A file of `src`, what is found in it exactly once, and what replaces it. */
  readonly edits: readonly (readonly [file: string, find: string, replace: string])[];
  readonly scenarios: readonly Scenario[];
}

/** What may fail or come late besides, in a word before the scenario. */
const WORLDS: Readonly<Record<string, Partial<Scenario>>> = {
  full1: { failures: 1 },
  full2: { failures: 2 },
  full3: { failures: 3 },
  full4: { failures: 4 },
  errno1: { failures: 1, failing: 'anything' },
  errno2: { failures: 2, failing: 'anything' },
  late: { lateCalls: true },
};

/** `two: liftH wren`, or `late two: liftH armK`. */
const scenarios = (...texts: string[]): Scenario[] =>
  texts.map((text) => {
    const [where = '', actors = ''] = text.split(': ');
    const [initial = '', world = ''] = where.split(' ').reverse();
    const usual = { kills: 0, failures: 0, lateCalls: false, linksRefused: false };
    return { initial, actors: actors.split(' '), failing: 'space', ...usual, ...WORLDS[world] };
  });

const NO_COMPARE = [
  'disk/rewrite.ts',
  "if (unpinned === '' && !stillSeen(disk, sentinel, pin.path, seen, now)) {",
  'if (false) {',
] as const;

export const MUTANTS: readonly Mutant[] = [
  {
    name: 'a lift composes from what it read before the tenure',
    edits: [
      [
        'disk/lift.ts',
        '  const operation = (tenure: Tenure): LiftResult | null => {',
        '  const early = inspect(disk, sentinel, disk.now());\n  const operation = (tenure: Tenure): LiftResult | null => {',
      ],
      [
        'disk/lift.ts',
        'const seen = inspect(disk, sentinel, disk.now());\n      if (moved',
        'const seen = early;\n      if (moved',
      ],
      NO_COMPARE,
    ],
    scenarios: scenarios('two: liftH armK', 'two: liftH liftK'),
  },
  {
    name: 'a rewrite removes and links instead of renaming over',
    edits: [
      [
        'disk/rewrite.ts',
        'failureOf(() => disk.rename(draft, sentinel)); // COMMIT (replace)',
        'failureOf(() => { disk.unlink(sentinel); disk.link(draft, sentinel); disk.unlink(draft); }); //',
      ],
    ],
    scenarios: scenarios('two: liftH', 'two: liftH check', 'two: liftH touch'),
  },
  {
    name: 'a rewrite does not compare after the pin',
    edits: [NO_COMPARE],
    scenarios: scenarios('two: liftH wren', 'two: liftH rm'),
  },
  {
    name: 'what slipped into a displaced file is not merged',
    edits: [['disk/rewrite.ts', 'slipped = writtenUnderUs(disk, pins, now);', 'slipped = [];']],
    scenarios: scenarios('two: liftH wtext'),
  },
  {
    name: "a dead owner's pin is not settled",
    edits: [
      [
        'disk/settle.ts',
        'if (standsAside(name, found, names)) {\n        serial',
        'if (false) {\n        serial',
      ],
    ],
    scenarios: scenarios('two: liftH wtext', 'hold: armK wtext'),
  },
  {
    name: 'a re-arm inherits from an expired hold',
    edits: [
      [
        'disk/arm.ts',
        'const standing = seen.holds.find((hold) => hold.holder === holder);',
        'const standing = [...seen.holds, ...seen.expired].find((hold) => hold.holder === holder);',
      ],
    ],
    scenarios: scenarios('mixed: armH', 'dead2: armH'),
  },
  {
    name: 'an arm drops the other holders',
    edits: [
      ['disk/arm.ts', '[...seen.kept.filter((hold) => hold.holder !== holder), mine]', '[mine]'],
    ],
    scenarios: scenarios('two: armH'),
  },
  {
    name: 'a re-arm keeps its old hold, too',
    edits: [
      [
        'disk/arm.ts',
        '[...seen.kept.filter((hold) => hold.holder !== holder), mine]',
        '[...seen.kept, mine]',
      ],
    ],
    scenarios: scenarios('two: armH'),
  },
  {
    name: 'an arm drops what has expired by its own clock alone',
    edits: [['disk/arm.ts', 'seen.kept.filter', 'seen.holds.filter']],
    scenarios: scenarios('soon2: aheadO'),
  },
  {
    name: 'a lift drops what has expired by its own clock alone',
    edits: [['disk/lift.ts', 'seen.kept.filter', 'seen.holds.filter']],
    scenarios: scenarios('soon2: aheadK'),
  },
  {
    name: 'a merge drops what has expired by its own clock alone',
    edits: [
      [
        'disk/rewrite.ts',
        'slipped.reduce(mergeSlipped, seen.kept)',
        'slipped.reduce(mergeSlipped, seen.holds)',
      ],
    ],
    scenarios: scenarios('soon2: aheadO wtext', 'dead2: armO wtext', 'mixed: armO wtext'),
  },
  {
    name: 'a lift removes the file whoever else is in it',
    edits: [['disk/lift.ts', 'return keep.length > 0 ? { keep } :', 'return']],
    scenarios: scenarios('two: liftH'),
  },
  {
    name: 'a removal is not fenced on what was seen',
    edits: [['disk/names.ts', 'return seenByRemoval(name) !== tagOf(found);', 'return false;']],
    scenarios: scenarios('hold: liftH wtext', 'hold: liftH wren'),
  },
  {
    name: 'settling drops a live claim',
    edits: [['disk/settle.ts', 'if (stands) giveBack(disk, tenure, name);\n    else ', '']],
    scenarios: scenarios('dead2: retire wren', 'hold: liftH wren'),
  },
  {
    name: 'gives back by rename',
    edits: [
      [
        'disk/give-back.ts',
        'failureOf(() => disk.link(claim, sentinel));\n',
        "failureOf(() => disk.rename(claim, sentinel));\n    if (code === '') return;\n",
      ],
    ],
    scenarios: scenarios(
      'dead2: retire wren touch',
      'dead2: retire wren wren',
      'hold: liftH wren wren',
    ),
  },
  {
    name: 'giving back drops the claim when the name is taken',
    edits: [['disk/give-back.ts', "if (returned === 'taken') {", 'if (false) {']],
    scenarios: scenarios('dead2: retire wren touch', 'hold: liftH wren touch'),
  },
  {
    name: 'a check looks at the sentinel before the tenure',
    edits: [
      [
        'disk/check.ts',
        "      if (entryAt(disk, tenure)?.kind !== 'dir') {\n",
        `      const early = entryAt(disk, sentinel) && inspect(disk, sentinel, disk.now());
      if (early?.state === 'active') return answer(disk, dir, early);
      if (entryAt(disk, tenure)?.kind !== 'dir') {
`,
      ],
      ['disk/check.ts', 'if (entryAt(disk, sentinel) === null) return FREE;', 'return FREE;'],
    ],
    scenarios: scenarios('dead2: check retire wren', 'hold: check liftH wren'),
  },
  {
    name: 'a check does not look at pins',
    edits: [
      [
        'disk/check.ts',
        'if (!mayHold(name)) continue;',
        "if (!mayHold(name) || name.startsWith('prev:')) continue;",
      ],
    ],
    scenarios: scenarios('soon: check armHx wtext tick', 'soon: armHx wtext tick'),
  },
  {
    name: 'a retirement looks only before the tenure',
    edits: [
      [
        'disk/retire.ts',
        "if (!isOver(inspect(disk, sentinel, now))) return kept('superseded');",
        '',
      ],
      ['disk/retire.ts', 'if (isOver(claimed)) {', 'if (true) {'],
    ],
    scenarios: scenarios('dead2: retire wren', 'dead2: retire armO'),
  },
  {
    name: 'a takeover settles nothing',
    edits: [
      [
        'disk/tenure.ts',
        '        settle(disk, tenure);\n      } catch (error) {\n        // Robbed',
        '      } catch (error) {\n        // Robbed',
      ],
    ],
    scenarios: scenarios('late two: liftH armK'),
  },
  {
    name: 'on a full disk, an arm says done although nothing was written',
    edits: [
      [
        'disk/arm-bluntly.ts',
        "if ('code' in placed) return refused(placed.code, seen);",
        "if ('code' in placed) return { armed: true, degraded: 'empty', id: '?' } as never;",
      ],
    ],
    scenarios: scenarios('full4 absent: armO'),
  },
  {
    name: 'on a full disk, an arm does not look afterwards',
    edits: [
      [
        'disk/arm-bluntly.ts',
        "if (now.state !== 'active' || now.ino !== placed.ino) return null;",
        '',
      ],
      [
        'disk/arm-bluntly.ts',
        'const hold = degraded',
        "if (now.state !== 'active') return { armed: true, degraded, id: 'anon' } as never;\n  const hold = degraded",
      ],
    ],
    scenarios: scenarios('full2 dead2: armO retire', 'full2 dead2: armO armK'),
  },
  {
    name: 'on a full disk, an arm truncates whatever stands there',
    edits: [
      ['disk/arm-bluntly.ts', "if (seen.state === 'active') return refused(why, seen);", ''],
      [
        'disk/arm-bluntly.ts',
        "if (bytes === null || classify(bytes, ino, clock).state !== 'expired') return null;",
        '',
      ],
    ],
    scenarios: scenarios('full3 two: armO', 'full3 hold: armK'),
  },
  {
    name: 'on a full disk, an arm does not read the handle that it truncates',
    edits: [
      [
        'disk/arm-bluntly.ts',
        "if (bytes === null || classify(bytes, ino, clock).state !== 'expired') return null;",
        '',
      ],
    ],
    scenarios: scenarios('full2 dead2: armO armK', 'full2 dead2: armO wren'),
  },
  {
    name: 'on a full disk, an arm writes text into the expired file',
    edits: [
      [
        'disk/arm-bluntly.ts',
        'const code = failureOf(() => disk.truncate(handle));',
        `const code = failureOf(() => {
      disk.truncate(handle);
      disk.write(handle, writeBody(disk.token(), [mine], NO_EXTRA));
    });`,
      ],
      [
        'disk/arm-bluntly.ts',
        "{ ino, degraded: 'empty' } : { code };\n  } catch",
        "{ ino, degraded: 'direct' } : { code };\n  } catch",
      ],
      [
        'disk/arm-bluntly.ts',
        'truncateExpired(disk, sentinel);',
        'truncateExpired(disk, sentinel, mine);',
      ],
      [
        'disk/arm-bluntly.ts',
        'function truncateExpired(disk: DiskPort, sentinel: string)',
        'function truncateExpired(disk: DiskPort, sentinel: string, mine: Hold)',
      ],
    ],
    scenarios: scenarios('full3 dead2: armO', 'full3 dead2: armO armK'),
  },
  {
    name: 'on a full disk, a rewrite replaces without a pin',
    edits: [
      ['disk/rewrite.ts', "if (unpinned !== '' && !refusesLinks(unpinned)) {", 'if (false) {'],
    ],
    scenarios: scenarios('full1 two: liftH', 'full1 two: liftH wren'),
  },
  {
    name: 'a late pin of another inode counts as displaced',
    edits: [
      [
        'disk/settle.ts',
        'ino !== undefined && seenByPin(pin)',
        'ino !== undefined || seenByPin(pin)',
      ],
      ['disk/settle.ts', '? [seenByPin(pin)] : [];', '? [ino] : [];'],
      ['disk/settle.ts', '!displaced.includes(tagOf(found))', '!displaced.includes(found.ino)'],
      ['disk/settle.ts', 'claims.length === 0 || nothingStands ? []', 'claims.length === 0 ? []'],
    ],
    scenarios: scenarios('late dead2: retire armK wren'),
  },
  {
    name: 'a claim given back comes back after a lift took out what it was given back to',
    edits: [
      ['disk/settle.ts', 'if (claims.length > 1) displaced.push', 'if (false) displaced.push'],
    ],
    scenarios: scenarios('late hold: liftH liftO wren'),
  },
  {
    name: 'what could not be looked at is written over',
    edits: [['disk/rewrite.ts', 'if (couldNotLook(seen.unreadable)) {', 'if (false) {']],
    scenarios: scenarios('errno2 two: armO'),
  },
  {
    name: 'a lift of one holder takes what it could not look at',
    edits: [
      [
        'disk/lift.ts',
        'if (couldNotLook(seen.unreadable) && (!everyone || ifGeneration !== undefined)) {',
        'if (false) {',
      ],
    ],
    scenarios: scenarios('errno2 two: liftO'),
  },
  {
    name: 'a claim that could not be removed is left to come back',
    edits: [
      [
        'disk/tenure-entries.ts',
        "if (code === 'ENOENT') throw new TenureLost();\n  required(code);",
        "if (code === 'ENOENT') throw new TenureLost();",
      ],
    ],
    scenarios: scenarios('errno1 anonymous: liftO wren'),
  },
  {
    name: 'a claim that could not be looked at is merged',
    edits: [['disk/give-back.ts', 'if (couldNotLook(found.unreadable)) return;', '']],
    scenarios: scenarios('errno1 dead2: retire wren touch', 'errno1 hold: liftH wren touch'),
  },
  {
    name: 'a pin that could not be looked at is dropped',
    edits: [['disk/rewrite.ts', 'if (!pin.isUnseen) failureOf', 'failureOf']],
    scenarios: scenarios('errno1 two: liftH wtext', 'errno2 two: liftH wtext'),
  },
  {
    name: 'names in a tenure are shared between owners',
    edits: [
      ['disk/rewrite.ts', 'newName(tenure.token, round)', "newName('x', round)"],
      ['disk/rewrite.ts', 'pinName(tenure.token, round, seen)', "pinName('x', round, seen)"],
    ],
    scenarios: scenarios('late two: liftH armK', 'late hold: armK armH'),
  },
  {
    name: 'a new owner leaves the draft of the robbed one',
    edits: [['disk/stock.ts', 'if (mayHold(name)) continue;', 'continue;']],
    scenarios: scenarios('late two: liftH armK'),
  },
  {
    name: 'a robbed lifter takes its removal for granted',
    edits: [
      ['disk/lift.ts', 'if (!sharesHold(moved, seen.holds)) return assisted', 'return assisted'],
    ],
    scenarios: scenarios('late hold: liftH armK', 'late two: all armK', 'hold: liftH wren'),
  },
  {
    name: 'a lift is claimed while somebody is at work',
    edits: [['disk/lift.ts', 'if (mayStand(disk, join(scope, TENURE))) return refused(why);', '']],
    scenarios: scenarios('late hold: liftH armK', 'late two: all armK'),
  },
  {
    name: 'a check beside a tenure believes its first look',
    edits: [['disk/check.ts', 'const SURE = 2;', 'const SURE = 1;']],
    scenarios: scenarios('late dead2: retire retire wren check'),
  },
  {
    name: 'a check passes over a claim that went under it',
    edits: [['disk/check.ts', "if (found.state === 'absent') hasMoved = true;", '']],
    scenarios: scenarios('aside: recover recover check', 'late aside: recover recover check'),
  },
  {
    name: 'a prevented draft is removed at once, not renamed',
    edits: [
      [
        'disk/stock.ts',
        'const code = renameWithin(disk, tenure, name, renamed);',
        'const code = failureOf(() => disk.unlink(join(tenure.dir, name)));',
      ],
    ],
    scenarios: scenarios('asidePinned: recover recover'),
  },
  {
    name: 'a settler leaves the claims under the names that their maker knows',
    edits: [
      ['disk/stock.ts', 'const own = renamedClaim(name, disk.token());', 'const own = name;'],
    ],
    scenarios: scenarios(
      'late aside: recover recover wren',
      'late asideToo: recover recover wren',
      'late hold: recover armK wren',
    ),
  },
];
