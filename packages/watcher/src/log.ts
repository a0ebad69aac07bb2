/**
 * The daemon's log: JSON lines on stderr.
 * A stopped reader or a full disk costs log lines, and never blocks the watcher or its end: see
 * `non-blocking-writer.ts`.
 */
import { visibleJson } from '@fleet-estop/sentinel-core';
import { type Logger, pino } from 'pino';
import { nonBlockingWriter } from './non-blocking-writer.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface OpenLog {
  readonly log: Log;
  /** Writes what waits, and gives up after a second. */
  close(): Promise<void>;
}

export function openLog(level: LogLevel, fd = 2): OpenLog {
  const lines = nonBlockingWriter(fd);
  // On a terminal, too: a reason comes from a file that anybody may have written.
  const safe = { write: (line: string) => lines.write(visibleJson(line)) };
  const log = pino({ level, base: { pid: process.pid }, timestamp: isoTime }, safe);
  return { log, close: lines.close };
}

const isoTime = (): string => `,"time":"${new Date().toISOString()}"`;
