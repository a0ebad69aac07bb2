/**
 * The daemon's log: JSON lines on stderr.
 * A reader that stopped reading must not stop the watcher: lines wait in bounded memory, and are
 * dropped beyond it.
 */
import { destination, type Logger, pino } from 'pino';

export type Log = Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>;

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const MAX_WAITING_BYTES = 1_048_576;
const FLUSH_MS = 1_000;

export interface OpenLog {
  readonly log: Log;
  /** What waits is written, or given up after a second. */
  close(): Promise<void>;
}

export function openLog(level: LogLevel, fd = 2): OpenLog {
  const stream = destination({ fd, sync: false, minLength: 0, maxLength: MAX_WAITING_BYTES });
  // A closed stderr (EPIPE) costs the log, and nothing else.
  stream.on('error', () => {});
  const log = pino({ level, base: { pid: process.pid }, timestamp: isoTime }, stream);
  return {
    log,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(resolve, FLUSH_MS);
        stream.flush(() => {
          clearTimeout(timer);
          resolve();
        });
      }),
  };
}

const isoTime = (): string => `,"time":"${new Date().toISOString()}"`;
