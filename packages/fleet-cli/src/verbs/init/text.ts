/**
 * The output of `fleet init`: what it made, what it kept, and what is left to do.
 */

import type { Json } from '../../text/json.ts';
import type { View } from '../../text/view.ts';
import { shellOption, shellWord, visible } from '../../text/visible.ts';
import { whyText } from '../../text/why.ts';
import type { InitFacts } from './facts.ts';

export function initLines(facts: InitFacts, view: View): string[] {
  const { root, source, group, makeResult, unshared, found } = facts;
  const { made, kept, failed } = makeResult;
  if (failed !== null && made.length === 0) return [];
  const title =
    made.length === 0 ? 'nothing to make in' : view.paint('green', failed ? 'BEGUN' : 'MADE');
  const lines = [`${title} ${visible(root)} (${source})`];
  for (const path of made) lines.push(`  made  ${visible(path)}`);
  for (const path of kept) lines.push(`  kept  ${visible(path)}, as it was`);
  if (failed !== null) return lines;
  if (group !== null && unshared.length === 0) lines.push(`  shared by the group ${group.name}`);
  lines.push(`look at it with  fleet ${found ? '' : `${shellOption('--root', root)} `}status`);
  if (!found) lines.push('  or set FLEET_ROOT: without either, fleet uses another root');
  return lines;
}

/** For stderr: failures. */
export function initNotices({ root, group, makeResult, unshared }: InitFacts): string[] {
  const notices: string[] = [];
  const { failed, made } = makeResult;
  if (failed !== null) {
    const where = failed.path === './' ? root : `${root}/${failed.path}`;
    const word = made.length === 0 ? 'NOT made' : 'NOT finished';
    notices.push(`${word}: ${visible(where)}: ${whyText(failed.why)}`);
    if (made.length > 0) notices.push('  run it again: what is made is kept');
  }
  if (group === null || unshared.length === 0) return notices;
  notices.push(`NOT shared by ${group.name}, because they existed and are kept as they are:`);
  for (const path of unshared) {
    const word = shellWord(path === './' ? root : `${root}/${path}`);
    notices.push(
      path === 'fleet.yaml'
        ? `  ${word} must say  access: { group: '${group.name}' }`
        : `  chgrp ${group.name} ${word} && chmod 2770 ${word}`,
    );
  }
  return notices;
}

export function initDocument(facts: InitFacts): { [key: string]: Json } {
  const { root, source, group, makeResult, unshared, found } = facts;
  return {
    schema: 'fleet/init/v1',
    root,
    root_source: source,
    made: makeResult.made,
    kept: makeResult.kept,
    complete: makeResult.failed === null,
    failed:
      makeResult.failed === null
        ? null
        : { path: makeResult.failed.path, why: makeResult.failed.why },
    group: group?.name ?? null,
    unshared,
    found_without_root: found,
  };
}
