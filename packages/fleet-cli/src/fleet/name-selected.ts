/**
 * Makes names of what `-l` and `--all-profiles` select: to a verb, profiles that were selected by what
 * they are, are profiles that were named. Which those are is `by-label.ts`.
 */
import type { Command } from 'commander';
import { deliver } from '../cli/deliver.ts';
import { visible } from '../text/visible.ts';
import type { SelectionOptions, UnreadLabels } from './selection.ts';
import { type GlobalOptions, rootOf } from './session.ts';

/**
 * Throws for a selection that selects nothing, and for one that cannot be known. `takesPart`: the verb
 * does what it can where of some lanes it is not known whether they are meant, and those are named.
 */
export async function nameSelected(
  command: Command,
  { allowsPartial = false }: { readonly allowsPartial?: boolean } = {},
): Promise<readonly UnreadLabels[]> {
  const options = command.opts<GlobalOptions & SelectionOptions>();
  if (options.label === undefined && !options.allProfiles) return [];
  const { selectNames, unknownLabels } = await import('./by-label.ts');
  const { names, notices, unreadLabels } = await selectNames(rootOf(options).root, options);
  if (unreadLabels.length > 0 && !allowsPartial) throw unknownLabels(unreadLabels);
  command.setOptionValue('profile', names);
  command.setOptionValue('unreadLabels', unreadLabels);
  for (const notice of notices) deliver(2, `${notice}\n`);
  for (const one of unreadLabels) deliver(2, unreadLabelsLines(one));
  return unreadLabels;
}

/** Loud: whoever paused by a label must not believe that this lane is among those. */
const unreadLabelsLines = ({ name, why }: UnreadLabels): string =>
  [
    `NOT reached by -l: ${name}: its labels are not known, so it may be one that is meant`,
    ...why.map((line) => `  ${visible(line)}`),
    `  repair that file, or name it: -p ${name}`,
    '',
  ].join('\n');
