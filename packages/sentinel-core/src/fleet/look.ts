/**
 * What a path leads to, with the failure as a value.
 * What follows from it is for the callers: to them "not there" and "cannot tell" differ.
 */
import { lstatSync, type Stats, statSync } from 'node:fs';

/** What stands at the end of all links, or the errno code. */
export function follow(path: string): Stats | string {
  try {
    return statSync(path);
  } catch (error) {
    return codeOf(error);
  }
}

/** Is the name taken, be it by a link that leads nowhere? Where we cannot look: yes. */
export function standsAt(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    return !meansMissing(codeOf(error));
  }
}

export const codeOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException | null)?.code ?? 'unknown';

export const meansMissing = (code: string): boolean => code === 'ENOENT' || code === 'ENOTDIR';

export const identityOf = (stats: Stats): string => `${stats.dev}:${stats.ino}`;
