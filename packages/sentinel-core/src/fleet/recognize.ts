/**
 * Does a folder show that it is the root of a fleet? One that does not is nobody's: nothing holds in
 * it, so every gate there would be open, and a pause there would cover nobody.
 * Which folder is asked about is for `root.ts` and `lane.ts`.
 */
import { lstatSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { FleetError } from '../errors.ts';
import { PROFILES_FOLDER, unreachable } from './home.ts';
import { codeOf, meansMissing } from './look.ts';

export type Recognition =
  /** `by`: the path below it that shows it. */
  | { readonly is: 'root'; readonly by: string }
  /** `why` completes "it is no fleet: ". */
  | { readonly is: 'no-root'; readonly why: string }
  /** Errno: what would show it cannot be looked at. */
  | { readonly is: 'unknown'; readonly why: string };

const SENTINEL = 'ESTOP';
/**
 * Only a root has them, whatever stands there: a file `profiles`, or a link whose disk is not mounted, is
 * a fleet whose profiles cannot be listed. Nothing in `.fleet/` is a sign: every served home has one, and
 * whoever took a home for a root, by its sentinel or before roots had to show themselves, left a journal
 * and a watcher's files in it.
 */
const OF_A_ROOT = [PROFILES_FOLDER, 'fleet.yaml'];
/** A profile's home has them. A root that is served itself has them too, and shows more. */
const OF_A_HOME = ['profile.yaml', '.fleet/in-flight', '.fleet/refused.ndjson'];

/**
 * Looks at names alone, and reads no file. Throws nothing.
 * A sentinel shows a root only where nothing says that the folder is a profile's home: a home that was
 * copied or mounted elsewhere takes its sentinel along.
 */
export function recognizeRoot(path: string): Recognition {
  const why = writtenAndReal(path).map(whyNeverRoot).find(Boolean);
  if (why) return { is: 'no-root', why };
  // INVARIANT 2: a sentinel that cannot be looked at holds. Whoever looks there is told so.
  const sentinel = look(`${path}/${SENTINEL}`);
  if (typeof sentinel === 'string' && sentinel !== 'missing') return { is: 'root', by: SENTINEL };

  const unknown: string[] = [];
  const isThere = (name: string): boolean => {
    const found = look(`${path}/${name}`);
    if (typeof found !== 'string') return true;
    if (found !== 'missing') unknown.push(found);
    return false;
  };
  const by = OF_A_ROOT.find(isThere);
  if (by !== undefined) return { is: 'root', by };
  const mark = OF_A_HOME.find(isThere);
  const [errno] = unknown;
  if (errno !== undefined) return { is: 'unknown', why: errno };
  if (sentinel === 'missing') {
    return { is: 'no-root', why: 'it has no `fleet.yaml` and no `profiles/`' };
  }
  if (mark === undefined) return { is: 'root', by: SENTINEL };
  return { is: 'no-root', why: `its \`${mark}\` is what a profile's home has` };
}

/**
 * Why this folder is no fleet now, an errno or `no-fleet`; null: it is one.
 * A fleet whose root is gone has no profiles to list; that is not "no profiles". Nor is the empty
 * folder that is left where a root was unmounted.
 */
export function whyNoRoot(root: string): string | null {
  try {
    if (!statSync(root).isDirectory()) return 'ENOTDIR';
    const recognition = recognizeRoot(root);
    if (recognition.is === 'root') return null;
    return recognition.is === 'unknown' ? recognition.why : 'no-fleet';
  } catch (error) {
    return codeOf(error);
  }
}

/**
 * The real path of a root. `source`: what named it. Throws ROOT_MISSING where no folder is,
 * SCOPE_UNUSABLE where that cannot be told, and ROOT_UNRECOGNIZED for a folder that is no fleet.
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

/** Throws as `requireRoot` does, but not for a root in which nothing can be looked at: all of it is held. */
export function requireRecognized(path: string, source: string): void {
  const recognition = recognizeRoot(path);
  if (recognition.is === 'root') return;
  const { why } = recognition;
  if (recognition.is === 'unknown') {
    throw new FleetError(
      'SCOPE_UNUSABLE',
      `whether \`${path}\` (${source}) is a fleet cannot be told: ${why}`,
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

/** null: a folder of this name and place may be a root; else why not. By the text of the path alone. */
export function whyNeverRoot(path: string): string | null {
  if (basename(path) === PROFILES_FOLDER)
    return 'it is called `profiles`, as the part of a fleet is';
  if (basename(dirname(path)) !== PROFILES_FOLDER) return null;
  return "it lies in a `profiles/`, where a profile's home is";
}

/** The first folder above that shows that it is a root; null: none does. */
function nearestRoot(path: string): string | null {
  for (const start of writtenAndReal(path)) {
    for (let at = dirname(start); ; at = dirname(at)) {
      if (recognizeRoot(at).is === 'root') return at;
      if (at === dirname(at)) break;
    }
  }
  return null;
}

/** What cannot be resolved is judged as far as it can be. */
function writtenAndReal(path: string): string[] {
  let real: string | undefined;
  try {
    real = realpathSync.native(path);
  } catch {
    // Whoever looks there is told why.
  }
  // `link/..` is not the folder that holds the link, so such a path means nothing as written.
  if (path.split('/').includes('..')) return real === undefined ? [] : [real];
  try {
    const written = resolve(path);
    return real === undefined || real === written ? [written] : [written, real];
  } catch {
    // A relative path, and the current folder was removed.
    return real === undefined ? [] : [real];
  }
}

function look(path: string): Stats | string {
  try {
    return lstatSync(path);
  } catch (error) {
    const code = codeOf(error);
    return meansMissing(code) ? 'missing' : code;
  }
}
