/**
 * Makes commander's command for one verb, the text of `fleet --help`, and usage errors from commander's.
 * Which verbs there are is `verb-table.ts`. Nothing here reads the disk or writes to a stream.
 */
import { Command, type CommanderError, type Option } from 'commander';
import { flag, valued } from './cli/flags.ts';
import { usageError } from './cli/values.ts';
import type { Verb } from './cli/verb.ts';
import { VERBS } from './verb-table.ts';

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
  4  done, but some gateways have not acknowledged it, or nobody has (--wait, drain)
  5  not true in time (--within), no watcher could be asked in time (--wait), or
     work is in hand when the time is up (drain)
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
  throw usageError(`\`--color ${text}\` is not known`, 'use auto, always or never');
}

/** Stops commander from printing and exiting by itself: help goes to `print`, errors are thrown. */
function quiet(command: Command, print: (text: string) => void): Command {
  return command.exitOverride().configureOutput({
    writeOut: print,
    writeErr: () => {},
    // Commander would ask Node's stdout stream, and creating that slows down every start.
    getOutHelpWidth: () => 80,
    getErrHelpWidth: () => 80,
    getOutHasColors: () => false,
    getErrHasColors: () => false,
  });
}

const indented = (lines: readonly string[]): string => lines.map((line) => `  ${line}`).join('\n');

/** Commander's parse error as a usage error of fleet; null: it only printed help. */
export function usageErrorOf(error: CommanderError, command: Command): Error | null {
  switch (error.code) {
    case 'commander.helpDisplayed':
    case 'commander.help':
      return null;
    case 'commander.excessArguments': {
      const stray = command.args.slice(command.registeredArguments.length);
      const words = stray.map((word) => `\`${word}\``).join(', ');
      return usageError(
        `stray ${stray.length === 1 ? 'word' : 'words'} ${words}`,
        'a profile is named with -p; a value with spaces needs quotes',
      );
    }
    default: {
      const [first = '', ...rest] = error.message.replace(/^error: /, '').split('\n');
      const hint = rest.join(' ').replace(/^\((.*)\)$/s, '$1');
      return usageError(first.replaceAll("'", '`'), hint || `see ${command.name()} --help`);
    }
  }
}
