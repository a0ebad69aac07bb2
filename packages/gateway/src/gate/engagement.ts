/**
 * Names a set of holds, so that something can be done once per engagement.
 * Which holds refuse whom is `admission.ts`.
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Hold, type Scope, SENTINEL } from '@fleet-estop/sentinel-core';
import type { Outages } from './outages.ts';

export interface ScopedHold {
  readonly scope: Scope;
  readonly hold: Hold;
}

/**
 * The same text for as long as the same holds stand, in any order. Every arm takes a fresh id, so a
 * hold that was placed again (with another deadline, for example) is another engagement. If a scope
 * cannot be read, the engagement lasts until this process has read it successfully.
 */
export function engagementOf(holds: readonly ScopedHold[], outages: Outages): string {
  const known = holds.map(({ scope, hold: { id } }) => ({
    dir: scope.dir,
    id,
    file: isNamed(id) ? '' : fileAt(scope),
  }));
  const failed = known.filter(({ file }) => file === null).map(({ dir }) => dir);
  const numbers = outages.see(failed);
  const names = new Set(
    known.map(({ dir, id, file }) => JSON.stringify([dir, id, file ?? numbers.get(dir)])),
  );
  const text = [...names].sort().join('\n');
  // Ids are text from a file and can be long. The digest is kept for each conversation.
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** The id identifies one hold: it was not derived from the file's location. */
const isNamed = (id: string): boolean => !id.startsWith('anon-') && id !== 'unknown';

/**
 * Identity of the sentinel file; null if it is absent or cannot be read. `touch`, `rm` and `touch` again
 * often get the same inode, so the change time is part of it.
 */
function fileAt({ dir }: Scope): string | null {
  try {
    const stats = lstatSync(join(dir, SENTINEL), { bigint: true, throwIfNoEntry: false });
    return stats === undefined ? null : `${stats.ino} ${stats.ctimeNs}`;
  } catch {
    return null;
  }
}
