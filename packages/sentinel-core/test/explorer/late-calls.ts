/**
 * System calls that land late: a kernel resolves the folder of a path first and acts on that folder
 * afterwards, wherever it has been renamed to by then. A robbed owner's last call can therefore
 * still work inside the folder that is now somebody else's tenure.
 */

import { parentOf, type Request, type World } from './posix-world.ts';
import { TENURE } from './protocol.ts';

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
