/**
 * The daemon's log: JSON lines on stderr.
 * A reader that stopped reading, or a disk that is full, must not stop the watcher, nor keep it from
 * ending: that is for `non-blocking-writer.ts`. What nobody can take costs lines, and nothing else.
 */
import { type Logger, pino } from 'pino';
import { nonBlockingWriter } from './non-blocking-writer.ts';
import { visibleJson } from './visible-json.ts';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export interface OpenLog {
  readonly log: Log;
  /** What waits is written, or given up after a second. */
  close(): Promise<void>;
}

export function openLog(level: LogLevel, fd = 2): OpenLog {
  const lines = nonBlockingWriter(fd);
  // On a terminal, too: a reason comes from anybody's file.
  const safe = { write: (line: string) => lines.write(visibleJson(line)) };
  const log = pino({ level, base: { pid: process.pid }, timestamp: isoTime }, safe);
  return { log, close: lines.close };
}

const isoTime = (): string => `,"time":"${new Date().toISOString()}"`;
