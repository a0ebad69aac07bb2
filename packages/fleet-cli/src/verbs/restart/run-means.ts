/**
 * Runs the means of a restart: no shell, a time limit, and its last lines for when it fails.
 * Which means they are is `means.ts`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '@fleet-estop/sentinel-core';
import type { Means } from './means.ts';

export interface MeansEnd {
  /** null: it ended with status 0. */
  readonly failure: string | null;
  /** Its last lines of output. */
  readonly lines: readonly string[];
}

/** Longer than service managers wait until they kill (90 s). */
const MOST_MS = 120_000;
const LAST_LINES = 10;
/** Bytes of its output that are looked at. */
const LAST_BYTES = 8_192;

/**
 * Resolves when the program itself has ended. Its output goes to a file, not to a pipe: a gateway that it
 * starts may keep the stream, and must neither be waited for nor be killed by a pipe that nobody reads.
 */
export async function runMeans(
  { words, cwd }: Means,
  env: Readonly<Record<string, string>>,
  mostMs: number = MOST_MS,
): Promise<MeansEnd> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-restart-'));
  const path = join(folder, 'output');
  const output = openSync(path, 'wx', 0o600);
  const [program, ...args] = words;
  try {
    const failure = await new Promise<string | null>((resolve) => {
      let command: ChildProcess;
      try {
        command = spawn(program, args, {
          stdio: ['ignore', output, output],
          env: { ...process.env, ...env },
          // The keys of a terminal must not end it half-way.
          detached: true,
          ...(cwd === null ? {} : { cwd }),
        });
      } catch (error) {
        return resolve(`\`${program}\` could not be started (${codeOf(error)})`);
      }
      const late = setTimeout(() => {
        killGroup(command.pid);
        resolve(
          `\`${program}\` had not ended after ${Math.round(mostMs / 1_000)} s, and was killed`,
        );
      }, mostMs);
      const end = (failed: string | null): void => {
        clearTimeout(late);
        resolve(failed);
      };
      command.on('error', (error) => end(`\`${program}\` could not be started (${codeOf(error)})`));
      command.on('exit', (code, signal) =>
        end(code === 0 ? null : `\`${program}\` ended with ${signal ?? `status ${code}`}`),
      );
    });
    return { failure, lines: lastLines(path) };
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true, force: true });
  }
}

function killGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function lastLines(path: string): string[] {
  const text = readFileSync(path).subarray(-LAST_BYTES).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-LAST_LINES);
}
