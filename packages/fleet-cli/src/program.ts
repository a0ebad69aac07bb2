/**
 * The command tree: which verbs there are, and the one command that a call needs.
 * Nothing here reads the disk or writes to a stream.
 */
import { Command, type CommanderError, type Option } from 'commander';
import { EXIT, type ExitCode } from './cli/exit-codes.ts';
import { flag, valued } from './cli/flags.ts';
import { nearest } from './cli/nearest.ts';
import { refusal } from './cli/values.ts';
import type { Verb } from './cli/verb.ts';

interface Entry {
  readonly summary: string;
  /** What is said first when nothing was done. */
  readonly undone: string;
  /** The status when something failed that nobody foresaw. */
  readonly failure: ExitCode;
  /** Its text is the answer, so that a text which did not arrive is a failure. */
  readonly answersInText: boolean;
  /**
   * The status where `-l` met lanes whose labels are not known, and all went well with the others;
   * undefined: then it does nothing at all.
   */
  readonly unjudged?: ExitCode;
  /** Takes the words after `--` as a command: `always` needs one, `perhaps` can do without. */
  readonly wraps?: 'always' | 'perhaps';
  /** Loaded when asked for: every other verb's code would cost each start. */
  readonly load: () => Promise<Verb>;
}

export const VERBS: Readonly<Record<string, Entry>> = {
  pause: {
    summary: 'hold new work in the whole fleet or in profiles',
    undone: 'NOT paused',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unjudged: EXIT.partial,
    load: async () => (await import('./verbs/pause/command.ts')).pause,
  },
  resume: {
    summary: "lift one's own hold, and say what still holds",
    undone: 'NOT resumed',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unjudged: EXIT.partial,
    load: async () => (await import('./verbs/resume/command.ts')).resume,
  },
  extend: {
    summary: "move the deadline of one's own hold",
    undone: 'NOT extended',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unjudged: EXIT.partial,
    load: async () => (await import('./verbs/extend/command.ts')).extend,
  },
  status: {
    summary: 'show what holds, in the root and in every profile',
    undone: 'no status',
    failure: EXIT.unreadable,
    answersInText: true,
    unjudged: EXIT.unreadable,
    load: async () => (await import('./verbs/status/command.ts')).status,
  },
  explain: {
    summary: 'show every hold, what it decides and what would lift it',
    undone: 'not explained',
    failure: EXIT.unreadable,
    answersInText: true,
    unjudged: EXIT.unreadable,
    load: async () => (await import('./verbs/explain/command.ts')).explain,
  },
  assert: {
    summary: 'exit 0 only if every profile is as claimed',
    undone: 'NOT asserted',
    failure: EXIT.unreadable,
    answersInText: false,
    unjudged: EXIT.unreadable,
    load: async () => (await import('./verbs/assert/command.ts')).assert,
  },
  history: {
    summary: 'show what was done to holds, from the journal',
    undone: 'no history',
    failure: EXIT.unreadable,
    answersInText: true,
    unjudged: EXIT.unreadable,
    load: async () => (await import('./verbs/history/command.ts')).history,
  },
  doctor: {
    summary: 'look for what is wrong with the fleet and this host',
    undone: 'NOT examined',
    failure: EXIT.unreadable,
    answersInText: true,
    load: async () => (await import('./verbs/doctor/command.ts')).doctor,
  },
  profiles: {
    summary: 'list the profiles, with their labels and what is wrong with them',
    undone: 'not listed',
    failure: EXIT.unreadable,
    answersInText: true,
    unjudged: EXIT.unreadable,
    load: async () => (await import('./verbs/profiles/command.ts')).profiles,
  },
  init: {
    summary: 'make the root of a fleet',
    undone: 'NOT made',
    failure: EXIT.notAsAsked,
    answersInText: false,
    load: async () => (await import('./verbs/init/command.ts')).init,
  },
  watcher: {
    summary: 'watch the fleet, tell gateways and serve what stands',
    undone: 'NOT watched',
    failure: EXIT.notAsAsked,
    answersInText: false,
    load: async () => (await import('./verbs/watcher/command.ts')).watcher,
  },
  events: {
    summary: 'follow what happens in the fleet, as its watcher tells it',
    undone: 'no events',
    failure: EXIT.unreadable,
    answersInText: true,
    unjudged: EXIT.unreadable,
    load: async () => (await import('./verbs/events/command.ts')).events,
  },
  completion: {
    summary: 'print a script that completes words in bash, zsh or fish',
    undone: 'no script',
    failure: EXIT.notAsAsked,
    answersInText: true,
    load: async () => (await import('./verbs/completion/command.ts')).completion,
  },
  window: {
    summary: 'hold new work while a command runs, and no longer',
    undone: 'NOT run',
    failure: EXIT.fleetFailed,
    answersInText: false,
    wraps: 'always',
    load: async () => (await import('./verbs/window/command.ts')).window,
  },
  gate: {
    summary: 'run a command, or exit 0, only if new work is admitted',
    undone: 'NOT admitted',
    failure: EXIT.fleetFailed,
    answersInText: false,
    wraps: 'perhaps',
    load: async () => (await import('./verbs/gate/command.ts')).gate,
  },
};

/** What others call it, and what is nearer to another verb by its letters than by its meaning. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  unpause: ['resume'],
  unhold: ['resume'],
  release: ['resume'],
  lift: ['resume'],
  continue: ['resume'],
  start: ['resume'],
  stop: ['pause'],
  hold: ['pause'],
  halt: ['pause'],
  freeze: ['pause'],
  list: ['profiles', 'status'],
  log: ['history'],
  check: ['doctor', 'assert'],
};

/** Throws for a word that is no verb. */
export function entryOf(name: string): Entry {
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (entry !== undefined) return entry;
  const near =
    (Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined) ??
    nearest(name.toLowerCase(), Object.keys(VERBS));
  throw refusal(
    `\`${name}\` is not a verb of fleet`,
    near.length === 0 ? 'see fleet --help' : `did you mean ${near.join(' or ')}?`,
  );
}

/** The command of one verb, ready to parse; `print` takes its help. */
export function commandOf(name: string, verb: Verb, print: (text: string) => void): Command {
  const command = quiet(new Command(`fleet ${name}`), print).description(verb.description);
  verb.configure(command);
  addGlobals(command);
  return command.addHelpText('after', `\nExamples:\n${indented(verb.examples)}`).action(() => {});
}

/** The text of `fleet --help`. */
export function overview(): string {
  let text = '';
  const program = quiet(new Command('fleet'), (part) => {
    text += part;
  });
  program
    .usage('<verb> [options]')
    .description(
      'Pause and resume a fleet of agent profiles: one file per scope, no daemon needed.',
    )
    .helpCommand(false);
  for (const [name, { summary }] of Object.entries(VERBS)) {
    program.command(name).description(summary).usage('');
  }
  addGlobals(program).addOption(flag('-V, --version', 'print the version'));
  program.addHelpText('after', `\n${EXPLANATION}`).outputHelp();
  return text;
}

const EXPLANATION = `Each verb has its own help: fleet pause --help

Exit status:
  0  done, or the assertion holds
  1  not as asked: assertion false, could not resume, could not pause
  2  the command line is wrong, or there is no such fleet or profile; nothing changed
  3  some state could not be read, and counts as held
  4  done, but some gateways have not acknowledged it, or nobody has (--wait)
  5  not so in the time that was given (--within), or nobody could say so (--wait)
  6  somebody else wrote first (--if-generation)
  7  resume: what was asked for is lifted, and other holds keep it paused
window and gate pass on the status of their command, and use for themselves:
  75   gate: new work is not admitted (--refused-code)
  125  fleet failed, the command line included; 126 and 127 as shells do`;

export const globalOptions = (): readonly Option[] => addGlobals(new Command()).options;

function addGlobals(command: Command): Command {
  return command
    .addOption(
      valued('--root <folder>', 'the fleet (else FLEET_ROOT, HERMES_HOME, ~/.hermes, ~/.fleet)', {
        repeat: 'same',
      }),
    )
    .addOption(flag('--json', 'print one JSON document and nothing else on stdout'))
    .addOption(
      valued('--color <when>', 'auto, always or never', { read: readColor, repeat: 'same' }),
    )
    .addOption(flag('-q, --quiet', 'print no text on stdout (pause: the ids of its holds)'));
}

function readColor(text: string): string {
  if (['auto', 'always', 'never'].includes(text)) return text;
  throw refusal(`\`--color ${text}\` is not known`, 'use auto, always or never');
}

/** Hands what commander would print and exit with to us. */
function quiet(command: Command, print: (text: string) => void): Command {
  return command.exitOverride().configureOutput({
    writeOut: print,
    writeErr: () => {},
    // Asking Node's streams would build them, which costs every start.
    getOutHelpWidth: () => 80,
    getErrHelpWidth: () => 80,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

/** What commander refused, in our words; null: it only printed help. */
export function refusalOf(error: CommanderError, command: Command): Error | null {
  switch (error.code) {
    case 'commander.helpDisplayed':
    case 'commander.help':
      return null;
    case 'commander.excessArguments': {
      const stray = command.args.slice(command.registeredArguments.length);
      const words = stray.map((word) => `\`${word}\``).join(', ');
      return refusal(
        `stray ${stray.length === 1 ? 'word' : 'words'} ${words}`,
        'a profile is named with -p; a value with spaces needs quotes',
      );
    }
    default: {
      const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
      const hint = rest.join(' ').replace(/^\((.*)\)$/s, '$1');
      return refusal(first.replaceAll("'", '`'), hint || `see ${command.name()} --help`);
    }
  }
}
