/**
 * `fleet watcher`: runs the daemon in the foreground, the same as `fleet-watcher`.
 * It only parses the options and passes them on. The watcher's package is loaded on demand, so that other verbs
 * do not pay for it.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import type { Command, Option } from 'commander';
import { type Answer, writtenAnswer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { flag, valued } from '../../cli/flags.ts';
import { usageError } from '../../cli/values.ts';
import type { Verb } from '../../cli/verb.ts';
import type { GlobalOptions } from '../../fleet/session.ts';

interface WatcherOptions extends GlobalOptions {
  readonly once?: true;
  readonly check?: true;
}

export const watcher: Verb = {
  description:
    'Watch the fleet in the foreground: notice every change of a hold, retire expired holds, send the state to gateways, and serve state, events and a dashboard on loopback. Holds work without it. Its log is JSON lines on stderr.',
  examples: ['fleet watcher', 'fleet watcher --port 0', 'fleet watcher --once'],
  configure,
  run,
};

function configure(command: Command): void {
  command
    .addOption(flag('--once', 'print the state as one JSON document, and exit'))
    .addOption(flag('--check', 'wait until a watcher of this root is ready, and exit'))
    .addOption(valued('--timeout <duration>', 'how long --check waits (default: 10s)'))
    .addOption(
      valued(
        '--sweep <duration>',
        'read everything again this often, also without notifications: 1s to 10m',
      ),
    )
    .addOption(valued('--observe <how>', 'auto, native, chokidar or poll'))
    .addOption(
      valued('--port <number>', 'serve HTTP on this port of loopback; 0 takes any (default: 7433)'),
    )
    .addOption(flag('--no-http', 'serve HTTP only on the unix socket in .fleet/'))
    .addOption(valued('--log-level <level>', 'debug, info, warn or error (default: info)'))
    .addHelpText(
      'after',
      `
Exit status:
  0  asked to stop; or printed (--once), or ready (--check)
  1  another watcher runs for this root, or it cannot be watched
  2  the command line is wrong, or there is no such fleet
  3  --once: some state could not be read; it counts as held
  5  --check: no watcher was ready in time`,
    );
}

async function run(command: Command): Promise<Answer> {
  const { json, quiet, once, check } = command.opts<WatcherOptions>();
  if (json && !once) {
    throw usageError(
      '`--json` without `--once`',
      'leave --json out: the log is JSON lines already',
    );
  }
  if (quiet && !once && !check) {
    throw usageError('`--quiet` with a watcher', 'it prints only its address: leave --quiet out');
  }
  const runWatcher = await load();
  const exit = await runWatcher(command.options.flatMap((option) => wordsOf(command, option)));
  const notices =
    once && exit === EXIT.unreadable
      ? ['some state could not be read, and counts as held: `unreadable` in the document names it']
      : [];
  // The watcher itself reports everything else.
  return writtenAnswer(exit, notices);
}

/** Options that are not passed on. */
const OURS: ReadonlySet<string> = new Set(['json', 'quiet', 'color']);

/** An option as it was given, in one word, so that its value cannot be taken for another option. */
function wordsOf(command: Command, option: Option): string[] {
  const name = option.attributeName();
  const value: unknown = command.getOptionValue(name);
  if (value === undefined || OURS.has(name)) return [];
  return [option.required ? `${option.long}=${String(value)}` : String(option.long)];
}

async function load(): Promise<(words: readonly string[]) => Promise<number>> {
  try {
    return (await import('@fleet-estop/watcher')).runWatcher;
  } catch (cause) {
    throw new FleetError('SCOPE_UNUSABLE', 'this installation of fleet cannot run a watcher', {
      hint: 'install it again; holds work without one',
      cause,
    });
  }
}
