/**
 * The interface of a verb, and options that several verbs share.
 */
import type { Command, Option } from 'commander';
import type { Answer } from './answer.ts';
import { flag, repeated } from './flags.ts';

export interface Verb {
  readonly description: string;
  readonly examples: readonly string[];
  /** Adds the verb's own options and arguments. */
  readonly configure: (command: Command) => void;
  /**
   * The verb calls `nameSelected` itself in `run`, because a selection that cannot be resolved is an
   * answer there.
   */
  readonly namesItself?: true;
  /**
   * Reads the options and does the work. Throws FleetError for what is refused. `wrapped`: the words after
   * `--`, if the verb wraps a command; null: there is no `--`.
   */
  readonly run: (
    command: Command,
    nowMs: number,
    wrapped: readonly string[] | null,
  ) => Answer | Promise<Answer>;
}

export function addSelection(command: Command, meaning: string): void {
  command
    .addOption(repeated('-p, --profile <name>', meaning))
    .addOption(
      labelOption('the profiles with this label').conflicts([
        'profile',
        'allProfiles',
        'allowMissing',
      ]),
    )
    .addOption(
      flag('--all-profiles', 'every profile one by one, and not the root').conflicts([
        'profile',
        'allowMissing',
      ]),
    )
    .addOption(flag('--allow-missing', 'skip a profile of -p that does not exist'));
}

export const dryRunOption = (): Option =>
  flag('--dry-run', 'write nothing: show what would be written, and whom it would cover');

export const labelOption = (meaning: string): Option =>
  repeated(
    '-l, --label <selector>',
    `${meaning}: key=value, key!=value, key or !key (repeatable, all must hold)`,
  );
