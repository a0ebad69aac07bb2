/**
 * Asks as an ordinary user, for whom file modes count.
 * What is asked is `answers.ts`; what belongs to that user is arranged by `folder.ts`.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import type { Answers, Questions } from './answers.ts';

/** `nobody`, by convention. */
const NOBODY = 65_534;

export const isSuperuser = process.getuid?.() === 0;

export interface OrdinaryUser {
  /** Who must own a scenario's entries; undefined: whoever makes them is that user already. */
  readonly owner: number | undefined;
  ask(questions: Questions): Answers;
}

/**
 * `folder` becomes one that everybody may enter; scenarios belong right under it. Returns a text that says what is
 * wrong where no such process can be had.
 */
export async function ordinaryUser(folder: string): Promise<OrdinaryUser | string> {
  const owner = isSuperuser ? NOBODY : undefined;
  const start = (args: readonly string[]) =>
    spawnSync(process.execPath, args, {
      encoding: 'utf8',
      cwd: folder,
      ...(owner === undefined ? {} : { uid: owner, gid: owner }),
    });
  chmodSync(folder, 0o755);
  // The cache of bundles may lie in a folder that nobody else may enter.
  const script = join(folder, 'asker.mjs');
  copyFileSync(await bundleFile(fileURLToPath(new URL('./asker.ts', import.meta.url))), script);
  chmodSync(script, 0o644);

  const probe = start(['--check', script]);
  if (probe.status !== 0) {
    return `no process of another user can be had: ${probe.error?.message ?? probe.stderr}`;
  }
  return {
    owner,
    ask(questions) {
      const { status, stdout, stderr } = start([script, JSON.stringify(questions)]);
      if (status !== 0) throw new Error(`the asking process failed: ${stderr}`);
      return JSON.parse(stdout);
    },
  };
}
