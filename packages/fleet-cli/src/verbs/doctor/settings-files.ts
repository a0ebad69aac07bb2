/**
 * Examines whether `fleet.yaml` and every `profile.yaml` can be read and are valid.
 */
import type { Problem } from '@fleet-estop/settings';
import { type ReadSettings, readFleetFile, readProfiles } from '../../fleet/settings.ts';
import { counted } from '../../text/fields.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

export async function examineSettings({ root, listing }: ExaminedFleet): Promise<Finding[]> {
  const files: ReadSettings<unknown>[] = [
    await readFleetFile(root.root),
    ...(await readProfiles(listing.profiles)).map(({ file }) => file),
  ];
  const findings = files
    .flatMap((file) => (file.state === 'rejected' ? file.problems : []))
    .map(findingOf);
  if (findings.length > 0) return findings;
  const read = files.filter(({ state }) => state === 'read').length;
  const what =
    read === 0 ? 'there are no settings files' : `${counted(read, 'settings file')} can be read`;
  return [{ level: 'ok', check: 'settings', what }];
}

function findingOf({ code, file, line, column, message, expected, hint }: Problem): Finding {
  const wanted = expected === null ? '' : `; expected ${expected}`;
  return {
    level: 'problem',
    check: 'settings',
    what: `${message}${wanted}`,
    where: file,
    ...(line === null ? {} : { line }),
    ...(column === null ? {} : { column }),
    ...(hint === null ? {} : { todo: hint }),
    ...(code === 'unreadable' ? { unexamined: true } : {}),
  };
}
