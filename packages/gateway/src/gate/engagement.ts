/**
 * One name for a set of standing holds, so that "once per engagement" can be told.
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
 * The same text for as long as the same holds stand, in whatever order. Every arm takes a fresh id,
 * so a hold that was placed again, with another deadline say, is another engagement. Where there is
 * not even a file to tell a hold by, it lasts until a look went well; only this process knows when.
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
  // Ids are a file's text, of any length. This one is remembered per conversation.
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Of a file's making, and not of its place on disk. */
const isNamed = (id: string): boolean => !id.startsWith('anon-') && id !== 'unknown';

/**
 * A `touch`, an `rm` and another `touch` often get the same inode: the time of the last change tells
 * them apart. null: there is none, or none that can be looked at.
 */
function fileAt({ dir }: Scope): string | null {
  try {
    const found = lstatSync(join(dir, SENTINEL), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? null : `${found.ino} ${found.ctimeNs}`;
  } catch {
    return null;
  }
}
