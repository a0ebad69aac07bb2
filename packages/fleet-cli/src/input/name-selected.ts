/**
 * Makes names of what `-l` and `--all-profiles` select: to a verb, profiles that were selected by what
 * they are, are profiles that were named. Which those are is `by-label.ts`.
 */
import type { Command } from 'commander';
import { deliver } from '../deliver.ts';
import { type GlobalOptions, rootOf } from '../session.ts';
import type { SelectionOptions } from './selection.ts';

/** Throws for a selection that selects nothing, and for one that cannot be known. */
export async function nameSelected(command: Command): Promise<void> {
  const options = command.opts<GlobalOptions & SelectionOptions>();
  if (options.label === undefined && !options.allProfiles) return;
  const { selectNames } = await import('./by-label.ts');
  const { names, notices } = await selectNames(rootOf(options).root, options);
  command.setOptionValue('profile', names);
  for (const notice of notices) deliver(2, `${notice}\n`);
}
