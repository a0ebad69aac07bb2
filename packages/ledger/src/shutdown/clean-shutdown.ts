/**
 * The mark of a gateway that closed on purpose and left nothing undone, in `<home>/.fleet/`.
 * The next gateway of the home removes it when it opens, so it says nothing about a later run.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { failureOf, makeOwnFolder, withinRecords } from '@fleet-estop/sentinel-core';
import { parseShutdown, readText, shutdownText } from '../in-flight/texts.ts';

const NAME = 'clean-shutdown';
const WRITE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;

/** Writes the mark. Returns '' or an errno; without a mark nothing is claimed. */
export function writeCleanShutdown(home: string, instance: string): string {
  const fleet = join(home, '.fleet');
  return failureOf(() => {
    const { mode } = statSync(home);
    const isShared = (mode & 0o020) !== 0;
    const made = failureOf(() =>
      makeOwnFolder(fleet, (fd) => {
        // The umask removes bits that a shared home needs.
        if (isShared) fchmodSync(fd, (mode & 0o2000) | 0o770);
      }),
    );
    if (made !== '' && made !== 'EEXIST') throw Object.assign(new Error(fleet), { code: made });
    withinRecords(fleet, (folder) => {
      const next = `${folder}/${NAME}.${process.pid}.new`;
      failureOf(() => unlinkSync(next));
      const fd = openSync(next, WRITE, 0o600);
      try {
        if (isShared) fchmodSync(fd, 0o660);
        writeSync(fd, shutdownText(instance));
        fsyncSync(fd);
      } finally {
        closeSync(fd);
      }
      renameSync(next, `${folder}/${NAME}`);
    });
  });
}

/**
 * Removes the mark, and returns the instance that left it; null if there is none that can be read. If
 * it cannot be removed, it is not believed: it could be the mark of any earlier run.
 */
export function takeCleanShutdown(home: string): string | null {
  let instance: string | null = null;
  const code = failureOf(() =>
    withinRecords(join(home, '.fleet'), (folder) => {
      const path = `${folder}/${NAME}`;
      failureOf(() => {
        instance = parseShutdown(readText(path).text);
      });
      unlinkSync(path);
    }),
  );
  return code === '' ? instance : null;
}
