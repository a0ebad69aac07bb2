/**
 * Runs the command that a verb wraps, with the standard streams, process group and signals of this process.
 * Whether it may run is decided by the verb.
 */

import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { codeOf } from '@fleet-estop/sentinel-core';
import type { Answer } from '../cli/answer.ts';
import { deliver } from '../cli/deliver.ts';
import { EXIT } from '../cli/exit-codes.ts';
import { visible } from '../text/visible.ts';
import { catchSignals, type Signals } from './signals.ts';

export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'killed'; readonly signal: NodeJS.Signals }
  /** `why` is an errno code. */
  | { readonly kind: 'not-started'; readonly why: string };

/** Starts it before it returns. */
export function runCommand(words: readonly string[], signals: Signals): Promise<CommandEnd> {
  const [program = '', ...args] = words;
  return new Promise((resolve) => {
    // Node throws an error of another kind for an empty name.
    if (program === '') return resolve({ kind: 'not-started', why: 'ENOENT' });
    try {
      const command = spawn(program, args, { stdio: 'inherit' });
      command.on('error', (error) => {
        const why = codeOf(error);
        if (command.pid === undefined) resolve({ kind: 'not-started', why });
        else deliver(2, `fleet: a signal could not be passed to the command: ${why}\n`);
      });
      command.on('exit', (code, signal) =>
        resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'killed', signal }),
      );
      if (command.pid !== undefined) signals.handTo(command);
    } catch (error) {
      resolve({ kind: 'not-started', why: codeOf(error) });
    }
  });
}

/**
 * Runs a command as the last step of a verb: how the command ends is the answer. Starts it before it
 * returns.
 */
export async function runAsAnswer(words: readonly string[]): Promise<Answer> {
  const signals = catchSignals();
  try {
    const end = await runCommand(words, signals);
    return {
      exit: exitOfCommand(end),
      ...((await diedOfInterrupt(end, signals)) ? { endsBy: 'SIGINT' } : {}),
      document: () => ({}),
      lines: () => [],
      notices: notStartedNotices(end, words),
    };
  } finally {
    signals.close();
  }
}

/** The host has no process or memory left, which says nothing about the command. */
const OUR_TROUBLE: ReadonlySet<string> = new Set(['EAGAIN', 'ENOMEM', 'EMFILE', 'ENFILE']);

/** The exit status that a shell would give for it. */
export function exitOfCommand(end: CommandEnd): number {
  switch (end.kind) {
    case 'exited':
      return end.code;
    case 'killed':
      return 128 + constants.signals[end.signal];
    case 'not-started':
      if (end.why === 'ENOENT') return EXIT.notFound;
      return OUR_TROUBLE.has(end.why) ? EXIT.fleetFailed : EXIT.cannotExecute;
  }
}

/**
 * Whether this process should end by the same signal instead of with its number: a shell script stops on Ctrl-C
 * only if the command that it waits for was killed by the signal.
 */
export const diedOfInterrupt = async (end: CommandEnd, signals: Signals): Promise<boolean> =>
  end.kind === 'killed' && end.signal === 'SIGINT' && (await signals.interruptedAtTerminal());

/** For stderr, where it did not run. */
export function notStartedNotices(end: CommandEnd, [program = '']: readonly string[]): string[] {
  if (end.kind !== 'not-started') return [];
  const why = end.why === 'ENOENT' ? 'command not found' : `it cannot be executed (${end.why})`;
  return [`NOT run: \`${visible(program)}\`: ${why}`];
}
