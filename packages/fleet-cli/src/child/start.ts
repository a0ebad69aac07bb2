/**
 * Runs a command as the last thing that a verb does: its end is the verb's answer.
 */
import type { Answer } from '../cli/answer.ts';
import { diedOfInterrupt, exitOfCommand, notStartedNotices, runCommand } from './run-command.ts';
import { catchSignals } from './signals.ts';

/** Starts it before it returns. */
export async function start(words: readonly string[]): Promise<Answer> {
  const signals = catchSignals();
  try {
    const end = await runCommand(words, signals);
    return {
      exit: exitOfCommand(end),
      ...(diedOfInterrupt(end, signals) ? { endsBy: 'SIGINT' } : {}),
      document: () => ({}),
      lines: () => [],
      notices: notStartedNotices(end, words),
    };
  } finally {
    signals.close();
  }
}
