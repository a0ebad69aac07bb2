/**
 * Replaces `-l` and `--all-profiles` by the names that they select, so that a verb sees only names.
 * Which profiles match is `by-label.ts`.
 */
import type { Command } from 'commander';
import { deliver } from '../cli/deliver.ts';
import { visible } from '../text/visible.ts';
import type { SelectionOptions, UnreadLabels } from './selection.ts';
import { type GlobalOptions, rootOf } from './session.ts';

/**
 * Throws where nothing is selected, and where labels cannot be read. With `allowsPartial` the verb acts on
 * the profiles that match for certain, and the others are named on stderr.
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

/** Clearly marked, because a user who pauses by label must not believe that this profile is paused. */
const unreadLabelsLines = ({ name, why }: UnreadLabels): string =>
  [
    `NOT reached by -l: ${name}: its labels cannot be read, so it may be one of those you mean`,
    ...why.map((line) => `  ${visible(line)}`),
    `  repair that file, or name it: -p ${name}`,
    '',
  ].join('\n');
