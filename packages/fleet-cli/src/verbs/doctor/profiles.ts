/**
 * Examines which profiles the fleet has, and which folders in `profiles/` are not profiles.
 */
import { join } from 'node:path';
import { counted } from '../../text/fields.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

export function examineProfiles({ root, listing }: ExaminedFleet): Finding[] {
  const folder = join(root.root, 'profiles');
  const { profiles, rejected, unreadable } = listing;
  if (unreadable !== undefined) {
    const what = `the profiles cannot be listed (${unreadable})`;
    const todo = 'repair that folder: until then, only -p NAME and the whole fleet can be paused';
    return [{ level: 'problem', check: 'lanes', what, where: folder, todo, unexamined: true }];
  }
  const findings: Finding[] = rejected.map(({ name, why }) => ({
    level: 'warning',
    check: 'lanes',
    what: `not a profile, so only a hold on the root holds what runs there: ${why}`,
    where: join(folder, name),
    todo: 'rename it, or move it elsewhere',
  }));
  const what = `the fleet has ${counted(profiles.length, 'profile')}`;
  const todo = 'make one: a folder under profiles/';
  const summary: Finding =
    profiles.length === 0
      ? { level: 'note', check: 'lanes', what: 'the fleet has no profile', where: folder, todo }
      : { level: 'ok', check: 'lanes', what, where: folder };
  return [summary, ...findings];
}
