/**
 * Fleets with very many changes: their folders, and the process that changes them.
 * One round is `storm-writer.ts`.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import type { Order } from './storm-order.ts';

/** So many in an ordinary run; FLEET_STORM=1 in the environment asks for all that was promised. */
export const stormOf = (ordinary: number, promised: number): number =>
  process.env['FLEET_STORM'] === undefined ? ordinary : promised;

/** In memory, where there is such a file system: ten thousand writes would wait for a disk. */
export function stormRoot(...lanes: readonly string[]): string {
  const memory = '/dev/shm';
  const root = mkdtempSync(join(existsSync(memory) ? memory : tmpdir(), 'fleet-storm-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'profiles'));
  for (const lane of lanes) mkdirSync(join(root, 'profiles', lane));
  return root;
}

/** Resolves with what has it do one round; that resolves when the round is done. */
export async function stormWriter(
  root: string,
  lanes: readonly string[],
): Promise<(order: Order) => Promise<void>> {
  const script = await bundleFile(fileURLToPath(new URL('storm-writer.ts', import.meta.url)));
  const child = fork(script, [root, lanes.join(',')]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return async (order) => {
    const done = once(child, 'message');
    child.send(order);
    await done;
  };
}

export const namesOf = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);
