/**
 * Decides whether a folder shows that it is the root of a fleet. In a folder that does not, nothing
 * holds: every gate there would be open, and a pause there would cover no profile.
 * `root.ts` and `home-profile.ts` decide which folder to ask about. Decision:
 * `2026-11-30-a-root-shows-that-it-is-one.md`.
 */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { FleetError } from '../errors.ts';
import { codeOrText, meansAbsent } from '../files/errno.ts';
import { PROFILES_FOLDER, unreachable } from './home.ts';

/** What `recognizeRoot` answers. */
export type Recognition =
  /** `by`: the path below the folder that shows it. */
  | { readonly is: 'root'; readonly by: string }
  /** `why` completes the sentence "it is no fleet: ". */
  | { readonly is: 'no-root'; readonly why: string }
  /** `why`: the errno with which the signs could not be looked at. */
  | { readonly is: 'unknown'; readonly why: string };

const SENTINEL = 'ESTOP';
/**
 * Only a root has these names, whatever they are: a file `profiles`, or a link whose disk is not
 * mounted, belongs to a fleet whose profiles cannot be listed. Nothing in `.fleet/` is a sign.
 * Every served home has such a folder, and a home that was once taken for a root (by its sentinel,
 * or before roots had to show themselves) still has a journal and a watcher's files in it.
 */
const ROOT_SIGNS = [PROFILES_FOLDER, 'fleet.yaml'];
/**
 * A profile's home has these names. A root that is served itself has them too, and has further
 * signs.
 */
const HOME_SIGNS = ['profile.yaml', '.fleet/in-flight', '.fleet/refused.ndjson'];

/**
 * Decides whether the folder `path` shows that it is a root. Looks only at names and reads no file.
 * Throws nothing.
 *
 * A sentinel shows a root only if nothing says that the folder is a profile's home: a home that was
 * copied or mounted elsewhere takes its sentinel along. Decision:
 * `2026-11-30-a-root-shows-that-it-is-one.md`.
 */
export function recognizeRoot(path: string): Recognition {
  const why = writtenAndReal(path).map(whyNeverRoot).find(Boolean);
  if (why) return { is: 'no-root', why };
  // INVARIANT 2: a sentinel that cannot be looked at holds. The check of this folder reports so.
  const sentinel = lstatOrErrno(`${path}/${SENTINEL}`);
  if (typeof sentinel === 'string' && sentinel !== 'missing') return { is: 'root', by: SENTINEL };

  const unknown: string[] = [];
  const isThere = (name: string): boolean => {
    const found = lstatOrErrno(`${path}/${name}`);
    if (typeof found !== 'string') return true;
    if (found !== 'missing') unknown.push(found);
    return false;
  };
  const by = ROOT_SIGNS.find(isThere);
  if (by !== undefined) return { is: 'root', by };
  const homeSign = HOME_SIGNS.find(isThere);
  const [errno] = unknown;
  if (errno !== undefined) return { is: 'unknown', why: errno };
  if (sentinel === 'missing') {
    return { is: 'no-root', why: 'it has no `fleet.yaml` and no `profiles/`' };
  }
  if (homeSign === undefined) return { is: 'root', by: SENTINEL };
  return { is: 'no-root', why: `its \`${homeSign}\` is what a profile's home has` };
}

/**
 * Why this folder is not a fleet now: an errno or `no-fleet`; null: it is one. A fleet whose root
 * is gone has no profiles to list, which differs from "no profiles". The same goes for the empty
 * folder that remains where a root was unmounted. Throws nothing.
 */
export function whyNoRoot(root: string): string | null {
  try {
    if (!statSync(root).isDirectory()) return 'ENOTDIR';
    const recognition = recognizeRoot(root);
    if (recognition.is === 'root') return null;
    return recognition.is === 'unknown' ? recognition.why : 'no-fleet';
  } catch (error) {
    return codeOrText(error);
  }
}

/**
 * The real path of a root. `source` names where the path came from, for the messages. Throws
 * ROOT_MISSING if there is no folder, SCOPE_UNUSABLE if that is unknown, and ROOT_UNRECOGNIZED for
 * a folder that is not a fleet.
 */
export function requireRoot(path: string, source: string): string {
  let real: string;
  let isFolder: boolean;
  try {
    isFolder = statSync(path).isDirectory();
    real = realpathSync.native(path);
  } catch (cause) {
    throw unreachable(path, source, cause);
  }
  if (!isFolder) {
    throw new FleetError('ROOT_MISSING', `\`${path}\` (${source}) is not a folder`, {
      hint: 'name the fleet with --root or FLEET_ROOT',
    });
  }
  requireRecognized(path, source);
  return real;
}

/**
 * Throws the errors of `requireRoot`, except for a root in which nothing can be looked at: all of
 * it is held.
 */
export function requireRecognized(path: string, source: string): void {
  const recognition = recognizeRoot(path);
  if (recognition.is === 'root') return;
  const { why } = recognition;
  if (recognition.is === 'unknown') {
    throw new FleetError(
      'SCOPE_UNUSABLE',
      `it is unknown whether \`${path}\` (${source}) is a fleet: ${why}`,
      { hint: 'repair its permissions, or name another fleet with --root or FLEET_ROOT' },
    );
  }
  const nearest = nearestRoot(path);
  throw new FleetError('ROOT_UNRECOGNIZED', `\`${path}\` (${source}) is no fleet: ${why}`, {
    hint:
      nearest === null
        ? `make \`profiles/\` in it where it is to be one; of a profile's home that was copied or mounted there, name the fleet: --root, FLEET_ROOT, or \`root\` of openGate`
        : `the nearest fleet is \`${nearest}\``,
  });
}

/**
 * Why a folder of this name and place can never be a root; null: it can be one. By the text of the
 * path alone. Throws nothing.
 */
export function whyNeverRoot(path: string): string | null {
  if (basename(path) === PROFILES_FOLDER)
    return 'it is called `profiles`, as the part of a fleet is';
  if (basename(dirname(path)) !== PROFILES_FOLDER) return null;
  return "it lies in a `profiles/`, where a profile's home is";
}

/** The nearest folder above that shows that it is a root; null: there is none. */
function nearestRoot(path: string): string | null {
  for (const start of writtenAndReal(path)) {
    for (let at = dirname(start); ; at = dirname(at)) {
      if (recognizeRoot(at).is === 'root') return at;
      if (at === dirname(at)) break;
    }
  }
  return null;
}

/** The written and the real path. A path that cannot be resolved is judged as far as possible. */
function writtenAndReal(path: string): string[] {
  let real: string | undefined;
  try {
    real = realpathSync.native(path);
  } catch {
    // The next look at this path reports why.
  }
  // `link/..` is not the folder that contains the link, so the written path means nothing.
  if (path.split('/').includes('..')) return real === undefined ? [] : [real];
  try {
    const written = resolve(path);
    return real === undefined || real === written ? [written] : [written, real];
  } catch {
    // The path is relative, and the current folder was removed.
    return real === undefined ? [] : [real];
  }
}

function lstatOrErrno(path: string): Stats | string {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = codeOrText(error);
    return meansAbsent(code) ? 'missing' : code;
  }
}
