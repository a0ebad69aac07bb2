/**
 * One call of `fleet-watcher`, from its arguments to its exit status.
 * Only `bin.ts` ends the process.
 */

import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_SOCKET_PATH } from '@fleet-estop/protocol';
import {
  FleetError,
  formatInstant,
  jsonText,
  nodeDisk,
  resolveRoot,
  visibleJson,
} from '@fleet-estop/sentinel-core';
import { type LockUnavailable, startWatcher, type WatcherOptions } from './daemon.ts';
import { ownerOf } from './instance/contention.ts';
import { fleetFolder, LOCK } from './instance/lock-folder.ts';
import { answerAt } from './instance/owner.ts';
import { SOCKET } from './instance/socket.ts';
import { type Log, openLog } from './log.ts';
import { nonBlockingWriter } from './non-blocking-writer.ts';
import { HELP, parseArguments, UsageError, type WatcherArguments } from './options.ts';
import { pushService } from './push/service.ts';
import { httpService } from './serve/service.ts';
import { documentOfLook } from './state/document.ts';
import { readFleet } from './state/read-fleet.ts';
import { webhooks } from './webhooks/service.ts';

/** What no argument sets. */
export type RunOptions = Pick<WatcherOptions, 'startingMs'>;

/** `argv`: the arguments after `fleet-watcher`. Resolves with the exit status. */
export async function runWatcher(
  argv: readonly string[],
  options: RunOptions = {},
): Promise<number> {
  try {
    const args = parseArguments(argv);
    if (args.does === 'help') return print(1, HELP);
    if (args.does === 'version') return print(1, `${version()}\n`);
    const userHome = process.env.HOME ?? null;
    const { root } = resolveRoot({ flag: args.root, env: process.env, userHome });
    switch (args.does) {
      case 'once':
        return printOnce(root);
      case 'check':
        return await waitUntilReady(root, args.timeoutMs);
      case 'watch':
        return await watchUntilSignal(root, args, options);
    }
  } catch (error) {
    if (error instanceof UsageError) return print(2, `${error.message}\n  see --help\n`, 2);
    if (error instanceof FleetError) return print(2, `${error.message}\n  ${error.hint}\n`, 2);
    throw error;
  }
}

/** Built or as source, this file is one folder below the package's own. */
const version = (): string =>
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;

function printOnce(root: string): number {
  const document = documentOfLook(readFleet(nodeDisk(), root), formatInstant(Date.now()));
  return print(
    1,
    `${visibleJson(jsonText(document, 2))}\n`,
    document.unreadable.length === 0 ? 0 : 3,
  );
}

/** Ready: it owns the lock, has read everything, and its socket accepts connections. */
async function waitUntilReady(root: string, timeoutMs: number): Promise<number> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const owner = ownerOf(root);
    const answer = owner === null ? 'ENOENT' : await answerAt(join(fleetFolder(root), SOCKET));
    if (answer === '') return 0;
    if (performance.now() >= until) {
      const pid = owner === null || owner === 'unreadable' ? '' : ` (process ${owner.pid})`;
      return print(2, `no watcher of ${root} is ready: ${answer}${pid}\n`, 5);
    }
    await delay(50);
  }
}

async function watchUntilSignal(
  root: string,
  args: WatcherArguments,
  options: RunOptions,
): Promise<number> {
  const { log, close: closeLog } = openLog(args.logLevel);
  const out = nonBlockingWriter(1);
  const stopRequest = signalled();
  try {
    const { sweepMs, observe, port, http } = args;
    const served = (url: string) => out.write(`serving ${url}\n`);
    const hooks = webhooks();
    const serve = httpService({ port, enabled: http, served, contribution: hooks.contribution });
    const services = [pushService, hooks.service, serve];
    const start = await startWatcher({ ...options, root, log, sweepMs, observe, services });
    if (!start.started) return reportLockUnavailable(root, start.failure, log);
    const { watcher } = start;
    const end = await Promise.race([stopRequest.promise, watcher.lockLost]);
    await watcher.close();
    if (typeof end !== 'string') return reportLockUnavailable(root, end, log);
    log.info({ signal: end }, 'stopped');
    return 0;
  } finally {
    stopRequest.forget();
    await Promise.all([out.close(), closeLog()]);
  }
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Resolves with the first signal that asks us to stop; a second one ends the process as usual. */
function signalled() {
  let ask: (signal: string) => void = () => {};
  const forget = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  const onSignal = (signal: string) => {
    forget();
    ask(signal);
  };
  const promise = new Promise<string>((resolve) => {
    ask = resolve;
  });
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return { promise, forget };
}

function reportLockUnavailable(root: string, unavailable: LockUnavailable, log: Log): number {
  if (unavailable.owner !== null) {
    const { pid, since, place } = unavailable.owner;
    const fields = { code: 'watcher-running', owner: pid, host: place.host, since };
    if (unavailable.fate === 'alive') {
      const hint = 'stop it first';
      log.error({ ...fields, hint }, `a watcher of ${root} is already running: process ${pid}`);
    } else {
      const hint = `if it is certainly gone, remove ${join(fleetFolder(root), LOCK)}`;
      log.error({ ...fields, hint }, `a watcher of ${root} may still be running: process ${pid}`);
    }
  } else if (unavailable.why === 'socket-path-too-long') {
    const path = join(fleetFolder(root), SOCKET);
    const bytes = Buffer.byteLength(path);
    const fields = { code: unavailable.why, path, bytes, most: MAX_SOCKET_PATH };
    log.error({ ...fields, hint: 'use a shorter root' }, 'the socket path is too long');
  } else {
    const hint = hintForErrno(unavailable.why, root);
    log.error({ code: unavailable.why, hint }, `${root} cannot be watched`);
  }
  return 1;
}

/** What to do if the disk refuses `.fleet/` or a file in it. */
function hintForErrno(why: string, root: string): string {
  const folder = fleetFolder(root);
  switch (why) {
    case 'ENOENT':
      return `put ${root} back, or give another root with --root; if ${root} exists, ${folder} is a dangling link: remove it`;
    case 'EROFS':
      return `make the file system of ${root} writable: a watcher keeps its lock and its sockets in ${folder}`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `free space on the file system of ${root}`;
    case 'EACCES':
    case 'EPERM':
      return `run it as the owner of ${root}, and let this user write in ${folder}`;
    default:
      return `repair ${folder}`;
  }
}

function print(fd: 1 | 2, text: string, code = 0): number {
  for (let bytes = Buffer.from(text); bytes.length > 0; ) {
    try {
      bytes = bytes.subarray(writeSync(fd, bytes));
    } catch (error) {
      const { code: errno } = error as NodeJS.ErrnoException;
      // A reader that went away does not change the exit status.
      if (errno === 'EPIPE') break;
      if (errno !== 'EAGAIN') throw error;
      // The pipe is full and non-blocking.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
  return code;
}
