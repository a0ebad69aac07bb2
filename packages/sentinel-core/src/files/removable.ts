/**
 * Decides whether this process may remove a file. `disk/check.ts` calls it before an expired
 * sentinel counts as free: a gateway that must remove the sentinel in order to run stays held where
 * it may not.
 * Nothing is removed here. Decision: `2026-11-29-expired-but-not-removable.md`.
 */
import { accessSync, constants, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { orNull } from './errno.ts';

const STICKY = 0o1000;

/** Whether this process may remove `path`. false also if that is unknown. Changes nothing. */
export function mayRemove(path: string): boolean {
  return orNull(() => isRemovable(path)) ?? false;
}

function isRemovable(path: string): boolean {
  const dir = dirname(path);
  accessSync(dir, constants.W_OK | constants.X_OK);
  const folder = statSync(dir);
  const file = lstatSync(path);
  if (file.dev !== folder.dev || isMountPoint(join(realpathSync(dir), basename(path))))
    return false;
  // As in /tmp, only the owner of the file or of the folder may remove it.
  const uid = process.geteuid?.() ?? -1;
  return (folder.mode & STICKY) === 0 || uid === 0 || file.uid === uid || folder.uid === uid;
}

/** A file mounted from the same file system shows only in the kernel's list of mounts. */
function isMountPoint(path: string): boolean {
  const mounts = orNull(() => readFileSync('/proc/self/mountinfo', 'utf8'));
  if (mounts === null) return false; // not Linux
  return mounts.split('\n').some((line) => unescaped(line.split(' ')[4] ?? '') === path);
}

const unescaped = (field: string): string =>
  field.replace(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(Number.parseInt(octal, 8)),
  );
