/**
 * `--patience` of the verbs that write holds: how long they wait for another operation in the same folder.
 * How the core waits is described at its `Patience`.
 */
import type { Patience } from '@fleet-estop/sentinel-core';
import type { Command } from 'commander';
import { readDurationMs } from './duration.ts';
import { valued } from './flags.ts';

export interface PatienceOptions {
  readonly patience?: string;
}

export function addPatience(command: Command): void {
  command.addOption(
    valued(
      '--patience <duration>',
      'how long to wait for another operation in the same folder that does not move (default: 2s)',
    ),
  );
}

export const readPatience = ({ patience }: PatienceOptions): Partial<Patience> =>
  patience === undefined ? {} : { waitMs: readDurationMs('--patience', patience) };
