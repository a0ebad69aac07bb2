/**
 * System calls that land late: a kernel resolves the folder of a path first and acts on that folder
 * afterwards, wherever it has been renamed to by then. A robbed owner's last call can therefore
 * still work inside the folder that is now somebody else's tenure.
 */
import type { Actor } from './actor.ts';
import { parentOf, type Request, type World } from './posix-world.ts';
import { TENURE } from './protocol.ts';
import type { Point } from './replay.ts';

/** Those that change something; a late look changes nothing that an early one would not have seen. */
const ACTING = new Set(['link', 'rename', 'open', 'unlink']);

/** The tenure that this call walks into before it acts; null where that makes no difference. */
export function folderOfCall([op, path, argument]: Request): string | null {
  if (!ACTING.has(op) || (op === 'open' && argument === 'r')) return null;
  const inside = [path, argument].find(
    (end) => end.startsWith(`${TENURE}/`) && parentOf(end) !== TENURE,
  );
  return inside === undefined ? null : parentOf(inside);
}

/** The same call, by the path that leads to the folder `ino` now. */
export function landing(world: World, request: Request, folder: string, ino: string): Request {
  const there = Object.keys(world.names).find(
    (path) => path.startsWith(`${TENURE}/`) && world.names[path] === ino,
  );
  const follow = (path: string) =>
    path.startsWith(`${folder}/`) ? (there ?? `${TENURE}/gone`) + path.slice(folder.length) : path;
  return [request[0], follow(request[1]), follow(request[2])];
}

/** By actor: the folder that its next call may have resolved before it was moved. */
export type Walks = Readonly<Record<number, string>>;

interface Move {
  readonly points: readonly Point[];
  /** Who took the step. */
  readonly actor: Actor;
  readonly before: World;
  readonly after: World;
}

/**
 * The walks after a step that may have moved folders: from then on the calls that name them may land
 * elsewhere. A folder that is gone altogether takes nothing, like a name that leads nowhere.
 */
export function strandedBy(walks: Walks, { points, actor, before, after }: Move): Walks {
  if (before.names === after.names) return walks;
  let all: Record<number, string> | undefined;
  for (const { request, actor: other } of points) {
    if (request === null || other === actor) continue;
    const folder = folderOfCall(request);
    const ino = folder === null ? undefined : before.names[folder];
    if (ino === undefined || after.names[folder!] === ino) continue;
    all ??= { ...walks };
    all[other.index] = ino;
  }
  const known = all ?? walks;
  const entries = Object.entries(known);
  if (entries.length === 0) return walks;
  const there = new Set(Object.values(after.names));
  const left = entries.filter(([, ino]) => there.has(ino));
  return left.length === entries.length ? known : Object.fromEntries(left);
}
