/**
 * The options of `resume --staged`: which profiles come first, how many come at once, and what happens
 * between two waves.
 */
import type { Command } from 'commander';
import { readDurationMs } from '../../../cli/duration.ts';
import { flag, repeated, valued } from '../../../cli/flags.ts';
import { usageError } from '../../../cli/values.ts';
import { shellOption } from '../../../text/visible.ts';
import type { WaveSize } from './waves.ts';

export interface StagedOptions {
  readonly staged?: true;
  readonly step?: string;
  readonly every?: string;
  readonly canary?: readonly string[];
  readonly by?: string;
  readonly abortIf?: string;
  readonly continue?: true;
  readonly missed?: string;
}

/** How the waves follow one another. */
export interface Pace {
  readonly size: WaveSize;
  /** Milliseconds between two waves. */
  readonly everyMs: number;
  /** Names of profiles: the first wave. */
  readonly canaries: readonly string[];
  /** A label: profiles with different values of it never share a wave. null: one group. */
  readonly by: string | null;
  /** A shell command that runs before each further wave; its failure stops the rest. null: none. */
  readonly guard: string | null;
  /** Goes on with a staged resume that did not end. */
  readonly goesOn: boolean;
  /** The options with which it goes on at the same pace, as words for a shell. */
  readonly words: readonly string[];
}

const DEFAULT_STEP = '10%';
const DEFAULT_EVERY = '2m';

export function addStaged(command: Command): void {
  const options = [
    flag('--staged', 'bring the profiles back in waves; whoever has not had a turn stays held'),
    valued('--step <size>', `--staged: how many at once, 5 or 10% (default: ${DEFAULT_STEP})`),
    valued('--every <duration>', `--staged: time between waves (default: ${DEFAULT_EVERY})`),
    repeated('--canary <name>', '--staged: this profile is in the first wave (repeatable)'),
    valued('--by <label>', '--staged: a wave for each value of this label, in their order'),
    valued('--abort-if <command>', '--staged: run it before each further wave; if it fails, stop'),
    flag('--continue', '--staged: go on where an earlier one stopped'),
  ];
  for (const option of options) command.addOption(option);
}

/** Options that say which hold or what to wait for, and mean nothing for waves. */
const OTHERS = ['hold', 'everyone', 'undo', 'ifGeneration', 'wait', 'timeout', 'allowMissing'];

/** null: not staged. Throws for a value that is not valid and for options that do not go together. */
export function readPace(command: Command): Pace | null {
  const options = command.opts<StagedOptions>();
  const given = (key: string) => command.getOptionValue(key) !== undefined;
  const longOf = (key: string) =>
    command.options.find((option) => option.attributeName() === key)?.long ?? key;
  if (!options.staged) {
    const stray = ['step', 'every', 'canary', 'by', 'abortIf', 'continue'].find(given);
    if (stray === undefined) return null;
    throw usageError(`\`${longOf(stray)}\` without \`--staged\``, 'give both');
  }
  const other = OTHERS.find(given);
  if (other !== undefined) {
    const hint = 'a staged resume lifts your own hold, in waves: leave one of the two out';
    throw usageError(`\`${longOf(other)}\` with \`--staged\``, hint);
  }
  const { step = DEFAULT_STEP, every = DEFAULT_EVERY, canary = [] } = options;
  return {
    size: readSize(step),
    everyMs: readDurationMs('--every', every),
    canaries: canary,
    by: options.by ?? null,
    guard: options.abortIf ?? null,
    goesOn: options.continue === true,
    words: [
      shellOption('--step', step),
      shellOption('--every', every),
      ...(options.by === undefined ? [] : [shellOption('--by', options.by)]),
      ...(options.missed === undefined ? [] : [shellOption('--missed', options.missed)]),
      ...(options.abortIf === undefined ? [] : [shellOption('--abort-if', options.abortIf)]),
    ],
  };
}

function readSize(text: string): WaveSize {
  const [, digits = '', percent] = /^([0-9]{1,6})(%?)$/.exec(text) ?? [];
  const number = Number(digits);
  if (number >= 1 && percent === '') return { profiles: number };
  if (number >= 1 && number <= 100) return { percent: number };
  throw usageError(
    `\`--step ${text}\` is no size of a wave`,
    'write how many profiles, as in 5, or which part of them, 1% to 100%',
  );
}
