/**
 * Builds a scenario's fleet on the real disk: links, pipes, sockets and modes included.
 * Who asks about it, and as which user, is left to `answers.ts` and `unprivileged.ts`.
 */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  lchownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import type { Body, DiskEntry, FileEntry, Present, Scenario } from './recorded.ts';

/** The time that every recorded file had. */
const RECORDED_AT = new Date('2001-01-01T00:00:00Z');

export interface Fleet {
  readonly root: string;
  /** The folder that the asking process has as its home. */
  readonly home: string;
}

/** Builds it at `root`, which must not exist. `owner`: a user and group that gets every entry. */
export async function buildFleet(
  { layout, disk, root_folder_mode }: Scenario,
  root: string,
  { owner }: { owner?: number | undefined } = {},
): Promise<Fleet> {
  const home = layout === 'same' ? root : join(root, 'profiles', 'p1');
  mkdirSync(root, { mode: 0o755 });
  if (layout === 'split') {
    mkdirSync(dirname(home));
    const entry = disk.profile ?? { kind: 'absent' };
    switch (entry.kind) {
      case 'folder-missing':
        break;
      case 'folder-is-file':
        writeFileSync(home, '');
        break;
      case 'folder-symlink-to-root':
        symlinkSync('..', home);
        break;
      default:
        mkdirSync(home);
        await place(entry, join(home, 'ESTOP'));
    }
  }
  await place(disk.root, join(root, 'ESTOP'));
  if (owner !== undefined) giveAway(root, owner);
  if (root_folder_mode !== undefined) chmodSync(root, Number.parseInt(root_folder_mode, 8));
  return { root, home };
}

/** Which sentinels stand, looked at in the same two places as the recording did. */
export function presentIn({ root, home }: Fleet): Present {
  // Opened again for whoever looks and, later, removes it.
  chmodSync(root, 0o755);
  return home === root ? { root: stands(root) } : { root: stands(root), profile: stands(home) };
}

function stands(folder: string): boolean {
  try {
    return lstatSync(join(folder, 'ESTOP'), { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false;
    throw error;
  }
}

async function place(entry: DiskEntry, path: string): Promise<void> {
  switch (entry.kind) {
    case 'absent':
      return;
    case 'file':
      return placeFile(entry, path);
    case 'directory':
      mkdirSync(path);
      for (const child of entry.children ?? []) writeFileSync(join(path, child), '');
      return;
    case 'symlink':
      symlinkSync(entry.target, path);
      if (entry.target_entry === undefined) return;
      return place(entry.target_entry, join(dirname(path), entry.target));
    case 'fifo':
      execFileSync('mkfifo', [path]);
      return;
    case 'socket':
      return placeSocket(path);
    case 'named': {
      const named = join(dirname(path), entry.name);
      mkdirSync(dirname(named), { recursive: true });
      return place(entry.entry, named);
    }
  }
}

function placeFile({ body, mode = '0644', hardlink }: FileEntry, path: string): void {
  writeFileSync(path, bytesOf(body));
  chmodSync(path, Number.parseInt(mode, 8));
  utimesSync(path, RECORDED_AT, RECORDED_AT);
  if (hardlink !== undefined) linkSync(path, join(dirname(path), hardlink));
}

function bytesOf(body: Body): Buffer {
  if ('data' in body) return Buffer.from(body.data, body.encoding);
  return Buffer.from(body.prefix + body.fill.repeat(body.fill_count) + body.suffix);
}

/** A socket that nobody listens on. Closing removes the name it was bound to, so that is another. */
async function placeSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}~`);
  await once(server, 'listening');
  renameSync(`${path}~`, path);
  server.close();
  await once(server, 'close');
}

/** Links themselves, never what they point at. */
function giveAway(path: string, owner: number): void {
  if (lstatSync(path).isDirectory()) {
    for (const name of readdirSync(path)) giveAway(join(path, name), owner);
  }
  lchownSync(path, owner, owner);
}
