/**
 * One name for a set of standing holds, so that "once per engagement" can be told.
 * Which holds refuse whom is `admission.ts`.
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { type Hold, type Scope, SENTINEL } from '@fleet-estop/sentinel-core';

export interface Standing {
  readonly scope: Scope;
  readonly hold: Hold;
}

/**
 * The same text for as long as the same holds stand, in whatever order. Every arm takes a fresh id,
 * so a hold that was placed again, with another deadline say, is another engagement.
 */
export function engagementOf(standing: readonly Standing[]): string {
  const names = new Set<string>();
  for (const { scope, hold } of standing) {
    const { id } = hold;
    names.add(JSON.stringify([scope.dir, id, isNamed(id) ? '' : fileAt(scope)]));
  }
  const text = [...names].sort().join('\n');
  // Ids are a file's text, of any length. This one is remembered per conversation.
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

/** Of a file's making, and not of its place on disk. */
const isNamed = (id: string): boolean => !id.startsWith('anon-') && id !== 'unknown';

/**
 * A `touch`, an `rm` and another `touch` often get the same inode. The time of the last change tells
 * them apart; where it cannot be read, the inode has to do.
 */
function fileAt({ dir }: Scope): string {
  try {
    const found = lstatSync(join(dir, SENTINEL), { bigint: true, throwIfNoEntry: false });
    return found === undefined ? '' : `${found.ino} ${found.ctimeNs}`;
  } catch {
    return '';
  }
}
