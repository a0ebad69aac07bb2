/**
 * Everything about a folder that a write could change, and profiles with settings of their own.
 */
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Fleet, makeFleet } from './fleet.ts';

/** One line for each entry, the folder itself included. */
export function snapshotOf(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  return ['.', ...names].map((name) => {
    const path = join(folder, name);
    const { ino, mode, nlink, size, mtimeMs, ctimeMs } = lstatSync(path);
    const about = [name, ino, mode.toString(8), nlink, size, mtimeMs, ctimeMs];
    return [...about, contentOf(path)].join(' ');
  });
}

function contentOf(path: string): string {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return readlinkSync(path);
  return stats.isFile() ? readFileSync(path, 'base64') : '';
}

/** Each profile with its labels; null: it has no profile.yaml. */
export function labelledFleet(
  lanes: Readonly<Record<string, Readonly<Record<string, string>> | null>>,
): Fleet {
  const fleet = makeFleet(...Object.keys(lanes));
  for (const [lane, labels] of Object.entries(lanes)) {
    if (labels !== null) writeProfile(fleet, lane, labels);
  }
  return fleet;
}

export function writeProfile(
  { folder }: Fleet,
  lane: string | undefined,
  labels: Readonly<Record<string, string>>,
): void {
  const lines = Object.entries(labels).map(([key, value]) => `  ${key}: ${value}\n`);
  mkdirSync(folder(lane), { recursive: true });
  writeFileSync(
    join(folder(lane), 'profile.yaml'),
    `version: 1\n${lines.length === 0 ? '' : `labels:\n${lines.join('')}`}`,
  );
}

/** The profiles whose own sentinel stands, `(root)` for the root's. */
export function heldLanes({ root }: Fleet): string[] {
  return readdirSync(root, { recursive: true })
    .map(String)
    .filter((path) => path === 'ESTOP' || /^profiles\/[^/]+\/ESTOP$/.test(path))
    .map((path) => (path === 'ESTOP' ? '(root)' : (path.split('/')[1] ?? '')))
    .sort();
}
