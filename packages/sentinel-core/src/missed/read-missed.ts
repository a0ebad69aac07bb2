/**
 * Reads what the lift of a hold said about missed work. The file is hostile input: it is bounded,
 * no link is followed, and a file that another user could only have put there counts for nothing.
 * Writing is `write-missed.ts`.
 */
import { constants, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { codeOrText, meansAbsent } from '../files/errno.ts';
import { withFile } from '../files/open.ts';
import { withinRecords } from '../files/records-folder.ts';
import { withinFolder } from '../files/walk.ts';
import {
  MAX_MISSED_BYTES,
  MISSED_FOLDER,
  type MissedChoice,
  missedId,
  missedName,
  parseMissed,
} from './choice.ts';

export type MissedRead =
  | { readonly state: 'none' }
  | { readonly state: 'chosen'; readonly choice: MissedChoice }
  /** `why`: an errno, or words that are safe to show. */
  | { readonly state: 'unusable'; readonly why: string };

/**
 * A choice is written right before its lift, and gateways look within seconds of it. An older one
 * belongs to a lift that never happened: its process was killed in between.
 */
const VALID_MS = 60 * 60 * 1_000;

/**
 * The choice for one hold that was lifted from the scope whose folder is `dir`. Throws nothing and
 * never blocks.
 */
export function readMissed(dir: string, hold: string, nowMs = Date.now()): MissedRead {
  try {
    return withinRecords(join(dir, '.fleet'), (records) =>
      withinFolder(records, [MISSED_FOLDER], (folder) =>
        withFile(join(folder, missedName(hold)), (fd, stats) => {
          const why = faultOf(stats, statSync(dir));
          if (why !== null) return unusable(why);
          const bytes = Buffer.alloc(MAX_MISSED_BYTES);
          return judged(bytes.toString('utf8', 0, readSync(fd, bytes)), hold, nowMs);
        }),
      ),
    );
  } catch (error) {
    const why = codeOrText(error);
    return meansAbsent(why) ? { state: 'none' } : unusable(why);
  }
}

const unusable = (why: string): MissedRead => ({ state: 'unusable', why });

function judged(text: string, hold: string, nowMs: number): MissedRead {
  const parsed = parseMissed(text);
  if (parsed === null) return unusable('it is no choice that this version knows');
  if (parsed.hold !== missedId(hold)) return unusable('it is about another hold');
  const isValid = Math.abs(nowMs - parsed.atMs) <= VALID_MS;
  return isValid ? { state: 'chosen', choice: parsed.choice } : unusable('it is out of date');
}

/** Who may pause and resume a scope may choose for it: in a shared one, that is the group. */
function faultOf({ mode, uid, size }: Stats, scope: Stats): string | null {
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return 'it is not a regular file';
  const isShared = (scope.mode & 0o020) !== 0;
  if ((mode & (isShared ? 0o002 : 0o022)) !== 0) return 'other users may change it';
  const isTrusted = uid === 0 || uid === process.geteuid?.() || uid === scope.uid;
  if (!isTrusted && !isShared) return 'it belongs to another user';
  return size > MAX_MISSED_BYTES ? `it is longer than ${MAX_MISSED_BYTES} bytes` : null;
}
