/**
 * Disk operations in another process: as another user, under another umask, or where an operation
 * that blocks must fail a test and not hang it.
 * What that process runs is `operate.ts`.
 */
import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import type { Answer, Cost, Operations, Question } from './operate.ts';

/** `nobody` on Linux: owns nothing, and is in no group. */
export const NOBODY = 65_534;
/** Generous: an operation takes a few milliseconds, on a very busy machine some hundreds. */
const BOUND_MS = 10_000;

/** Why no process of another user can be started here; undefined where one can. */
export const otherUserMissing: string | undefined = probe();

export interface OtherProcess {
  /** Rejects when the operation throws, or has not answered within `BOUND_MS`. */
  run<Name extends keyof Operations>(
    operation: Name,
    ...args: Parameters<Operations[Name]>
  ): Promise<ReturnType<Operations[Name]>>;
  /** Processor time of the operations so far, without what it takes to ask. */
  cpuMs(): number;
  /** By how much the operations so far have raised the peak of its memory. */
  growthKb(): number;
  /** Open files after the last operation; 0 where that cannot be told. */
  openFiles(): number;
}

/** For the tests of one file or group. Started when first asked. */
export function otherProcess({
  uid,
  umask = 0o022,
}: {
  uid?: number;
  umask?: number;
} = {}): OtherProcess {
  let folder: string;
  let script: string;
  let child: ChildProcess | undefined;
  let cpuMs = 0;
  let last: Cost = { cpuMs: 0, growthKb: 0, openFiles: 0 };

  beforeAll(async () => {
    // Where another user may read it, which a checkout need not be.
    folder = mkdtempSync(join(tmpdir(), 'fleet-operate-'));
    chmodSync(folder, 0o755);
    script = join(folder, 'operate.mjs');
    copyFileSync(await bundleFile(fileURLToPath(new URL('operate.ts', import.meta.url))), script);
    chmodSync(script, 0o644);
  });
  afterAll(() => {
    child?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  const start = (): ChildProcess => {
    const who = uid === undefined ? {} : { uid, gid: uid };
    const started = fork(script, [umask.toString(8)], {
      ...who,
      cwd: folder,
      serialization: 'advanced',
    });
    started.once('exit', () => {
      child = undefined;
    });
    return started;
  };

  return {
    cpuMs: () => cpuMs,
    growthKb: () => last.growthKb,
    openFiles: () => last.openFiles,
    async run(operation, ...args) {
      child ??= start();
      const question: Question = { operation, args };
      const answer = await ask(child, question);
      last = answer.cost;
      cpuMs += last.cpuMs;
      if ('thrown' in answer) throw new Error(`\`${operation}\` threw ${answer.thrown}`);
      return answer.value as ReturnType<Operations[typeof operation]>;
    },
  };
}

function ask(child: ChildProcess, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('exit', onExit);
    };
    const onMessage = (answer: unknown) => {
      settle();
      resolve(answer as Answer);
    };
    const onExit = () => {
      settle();
      reject(new Error(`the process ended during \`${question.operation}\``));
    };
    const timer = setTimeout(() => {
      settle();
      child.kill('SIGKILL');
      reject(new Error(`\`${question.operation}\` did not answer within ${BOUND_MS} ms`));
    }, BOUND_MS);
    child.on('message', onMessage);
    child.on('exit', onExit);
    child.send(question);
  });
}

function probe(): string | undefined {
  if (process.platform !== 'linux') return 'other users are tested on Linux only';
  if (process.getuid?.() !== 0) return 'only root may start a process of another user';
  const { status, error } = spawnSync(process.execPath, ['-e', '0'], {
    uid: NOBODY,
    gid: NOBODY,
    cwd: tmpdir(),
  });
  if (error !== undefined) return `no process of another user: ${error.message}`;
  return status === 0 ? undefined : `a process of another user ended with ${status}`;
}
