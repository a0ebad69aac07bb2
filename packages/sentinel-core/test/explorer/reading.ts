/**
 * What the files of a world say, in the words of the specification: each hold as one text.
 * The bodies are read by the shipped code; what ought to stand there is `ghost.ts`.
 */

import { bytesOf } from './model-disk.ts';
import {
  baseOf,
  type Content,
  childrenOf,
  Errno,
  FIFO,
  FOLDER,
  type World,
} from './posix-world.ts';
import {
  type DiskPort,
  type Hold,
  inspect,
  readBody,
  SENTINEL,
  type Sentinel,
  standsAside,
  TENURE,
  tagOf,
} from './protocol.ts';

/** All that what a file says depends on. */
type Files = Pick<World, 'inodes' | 'now'>;

/** A hold in full, so that a change of any field makes it another one. */
export type HoldText = string;

/** The fields of a hold that make a difference to anybody. */
export interface HoldFacts {
  readonly id: string;
  readonly holder: string | null;
  readonly expiresAt: string | null;
  readonly expiresAtMs: number | null;
  readonly allow: Hold['allow'];
  readonly reason: string | null;
  readonly engagedAt: string | null;
}

const facts = new Map<HoldText, HoldFacts>();
interface File {
  readonly seen: Sentinel;
  readonly holds: readonly HoldText[];
  readonly doubted: readonly HoldText[];
}

const files = new Map<string, File>();
let alike = false;
const asides = new WeakMap<World, readonly Aside[]>();

/** Something in a tenure that holds. */
export interface Aside {
  readonly ino: string;
  readonly holds: readonly HoldText[];
}

/**
 * Forgets what was read in the worlds of another exploration. `copies`: giving back may copy a file,
 * so that nobody can tell an empty one from another.
 */
export function beginReading({ copies }: { copies: boolean }): void {
  facts.clear();
  files.clear();
  alike = copies;
}

/** The hold of an empty file that may be a copy of another: its id says nothing. */
export const isAlike = (id: string): boolean => alike && id.startsWith('anon-');

function textOf(hold: Hold): HoldText {
  const { id, holder, expiresAt, expiresAtMs, allow, reason, engagedAt } = hold;
  const identity = isAlike(id) ? 'anon' : id;
  const text = JSON.stringify([identity, holder, expiresAt, allow, reason, engagedAt]);
  if (!facts.has(text)) {
    facts.set(text, { id, holder, expiresAt, expiresAtMs, allow, reason, engagedAt });
  }
  return text;
}

export const factsOf = (text: HoldText): HoldFacts => facts.get(text)!;

/** The holds that stand in one file. */
export const holdsIn = (world: Files, ino: string | undefined): readonly HoldText[] =>
  ino === undefined ? [] : fileAt(world, ino).holds;

/** What has expired in one file, and would stand by a clock that is a little behind. */
export const doubtedIn = (world: World, ino: string): readonly HoldText[] =>
  fileAt(world, ino).doubted;

/** The holds that stand at the sentinel. */
export const standing = (world: Files & Pick<World, 'names'>): readonly HoldText[] =>
  holdsIn(world, world.names[SENTINEL]);

/** Identity of what the inode holds just now, as the protocol writes it into names. */
export const tagAt = (world: World, ino: string): string => tagOf(fileAt(world, ino).seen);

/** The hold of an empty file. */
export const anonymous = (ino: string): HoldText => textOf(inspectContent('', ino, 0).holds[0]!);

/** Whatever inside tenures still holds. */
export function asideIn(world: World): readonly Aside[] {
  let found = asides.get(world);
  if (found === undefined) {
    found = childrenOf(world, TENURE).flatMap((tenure) => {
      const paths = childrenOf(world, tenure);
      const names = paths.map(baseOf);
      return paths
        .map((path) => ({ path, ino: world.names[path]! }))
        .filter(({ path, ino }) => standsAside(baseOf(path), fileAt(world, ino).seen, names))
        .map(({ ino }) => ({ ino, holds: holdsIn(world, ino) }));
    });
    asides.set(world, found);
  }
  return found;
}

export const isExpiredText = (text: HoldText, nowMs: number): boolean => {
  const { expiresAtMs } = factsOf(text);
  return expiresAtMs !== null && expiresAtMs <= nowMs;
};

/** Every hold that a body names, those that have expired included. */
export function textsIn(world: World, ino: string): readonly HoldText[] {
  const body = readBody(world.inodes[ino]!, ino);
  return (body?.holds ?? []).map(textOf);
}

/** Can no library operation change what is in this file any more, unless time passes? */
export const holdsNow = (world: World, ino: string): boolean =>
  fileAt(world, ino).seen.state === 'active';

function fileAt(world: Files, ino: string): File {
  const content = world.inodes[ino] ?? '';
  const key = `${world.now} ${ino} ${content}`;
  let file = files.get(key);
  if (file === undefined) {
    const seen = inspectContent(content, ino, world.now);
    const doubted = seen.expired.filter((hold) => seen.kept.includes(hold));
    file = { seen, holds: seen.holds.map(textOf), doubted: doubted.map(textOf) };
    files.set(key, file);
  }
  return file;
}

/** What the shipped code reads in a file of that content. */
export function inspectContent(content: Content, ino: string, now: number): Sentinel {
  const read = () => {
    if (content === FOLDER) throw Errno.of('EISDIR');
    if (content === FIFO) throw Errno.of('EINVAL');
    return bytesOf(content);
  };
  const disk = { open: () => ino, inoOf: () => ino, read, close: () => {} };
  return inspect(disk as unknown as DiskPort, SENTINEL, now);
}
