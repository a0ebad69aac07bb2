/**
 * The sample with one guard removed at a time: the kit must detect each, and report nothing about the
 * doors that are still guarded. Each is the real gateway, built from edited sources, in a process.
 */
import { fileURLToPath } from 'node:url';
import { DoorFailure, testDoors } from '@fleet-estop/gateway/kit';
import { describe, expect, it } from 'vitest';
import { bundleFile } from '../../../scripts/bundle.mjs';
import { sampleAdapter } from './adapter.ts';

type Edits = readonly (readonly [find: string, replace: string])[];

interface Flaw {
  /** The door that the kit must find open, or `work` or `control`. */
  readonly door: string;
  readonly file: string;
  readonly edits: Edits;
}

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A gate that admits everything, as replacement for the real one. */
const YES = '{ ...gate, dispatch: () => true, admit: () => ({ admitted: true, profile: "" }) }';
const YES_AT_THE_SPAWN = '{ ...gate, admit: () => ({ admitted: true, profile: "" }) }';

const FLAWS: Readonly<Record<string, Flaw>> = {
  'a turn asks nobody': {
    door: 'turn',
    file: 'src/chat.ts',
    edits: [['if (!decision.serve)', 'if (false)']],
  },
  'a turn that runs may not be answered': {
    door: 'work',
    file: 'src/chat.ts',
    edits: [['turnOf(message) !== undefined }', 'false }']],
  },
  'a pause ends what runs': {
    door: 'work',
    file: 'src/chat.ts',
    edits: [
      [
        'const mine: Turn = { principal, inbox: [] };',
        `const mine: Turn = { principal, inbox: [] };
         gate.onChange(({ engaged }) => { if (engaged) mine.inbox.push('stop'); });`,
      ],
    ],
  },
  'a turn waits after its decision': {
    door: 'turn',
    file: 'src/chat.ts',
    edits: [
      [
        'else await serve(message, response);',
        'else await new Promise((go) => setTimeout(go, 250)).then(() => serve(message, response));',
      ],
    ],
  },
  'a turn is not on record': {
    door: 'work',
    file: 'src/chat.ts',
    edits: [
      ['await withWork(gate,', 'await withWork({ ...gate, begin: () => unrecorded },'],
      [
        'const MAX_TEXT',
        `const unrecorded = { owner: '', recorded: false, follow: () => true, end: () => true };
const MAX_TEXT`,
      ],
    ],
  },
  'the watcher never hears of it': {
    door: 'link',
    file: 'src/main.ts',
    edits: [["onLink: ({ link }) => log('watcher', { link }),", 'link: false,']],
  },
  'the scheduler asks nobody': {
    door: 'cron',
    file: 'src/cron.ts',
    edits: [['cronDoor(gate)', `cronDoor(${YES})`]],
  },
  'the catch-up sweep asks nobody': {
    door: 'cron-misfire',
    file: 'src/cron.ts',
    edits: [['misfireDoor<string>(gate,', `misfireDoor<string>(${YES},`]],
  },
  'a webhook asks nobody': {
    door: 'cron-webhook',
    file: 'src/webhook.ts',
    edits: [['if (!door(call, response)) return;', '']],
  },
  'a webhook takes its delivery before it asks': {
    door: 'cron-webhook',
    file: 'src/webhook.ts',
    edits: [
      ['if (!door(call, response)) return;', ''],
      ['// A delivery that is sent twice becomes one card.', 'if (!door(call, response)) return;'],
    ],
  },
  'the board asks nobody': {
    door: 'kanban',
    file: 'src/dispatch.ts',
    edits: [['kanbanDoor<Claimed, number>(gate,', `kanbanDoor<Claimed, number>(${YES},`]],
  },
  'the board asks before the claim only': {
    door: 'kanban',
    file: 'src/dispatch.ts',
    edits: [
      ['kanbanDoor<Claimed, number>(gate,', `kanbanDoor<Claimed, number>(${YES_AT_THE_SPAWN},`],
    ],
  },
  'a card that is given back stays claimed': {
    door: 'kanban',
    file: 'src/dispatch.ts',
    edits: [["board.move(card.id, 'doing', 'todo');", '']],
  },
  '/pause is not looked for': {
    door: 'control',
    file: 'src/chat.ts',
    edits: [
      ['await control.handle(message)', 'null as Awaited<ReturnType<typeof control.handle>>'],
    ],
  },
  'anybody may pause': {
    door: 'control',
    file: 'src/main.ts',
    edits: [['people.mayPause(principal)', 'principal !== ""']],
  },
};

/** The cases that show that the other doors are still guarded. */
const OF_OTHERS = /: is held by a hold at the root/;

/** The doors with failures. Cases of the flawed door run until one fails. */
async function foundWith({ door: flawed, file, edits }: Flaw): Promise<Set<string>> {
  const cases: { door: string; title: string; run: () => Promise<void> }[] = [];
  let stop = async (): Promise<void> => {};
  testDoors(sampleAdapter(await bundleFile(main, { mutate: [{ file, edits }] })), {
    test: (title, run) => cases.push({ door: title.split(':')[0] ?? '', title, run }),
    after: (last) => {
      stop = last;
    },
    patienceMs: 4_000,
  });
  const found = new Set<string>();
  try {
    // A failure starts another gateway, so these cases come last.
    const others = cases.filter(({ door, title }) => door !== flawed && OF_OTHERS.test(title));
    const own = cases.filter(({ door }) => door === flawed);
    expect(own).not.toEqual([]);
    for (const { door, run } of [...others, ...own]) {
      if (found.has(door)) continue;
      await run().catch((error: unknown) => {
        if (!(error instanceof DoorFailure)) throw error;
        found.add(error.door);
      });
    }
  } finally {
    await stop();
  }
  return found;
}

describe('the kit finds it where, in the sample,', () => {
  it.each(Object.entries(FLAWS))('%s', async (_title, flaw) => {
    expect([...(await foundWith(flaw))]).toEqual([flaw.door]);
  });
});
