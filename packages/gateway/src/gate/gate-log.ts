/**
 * The author's logger. What is logged is `profile.ts`, `expiry-log.ts` and `skipped-work.ts`.
 */
import { safely } from '../link/safely.ts';

/** A logger; pino and `console` both fit. */
export interface GateLog {
  info(fields: object, message: string): void;
  /** For what an operator must not overlook. Default: `info`. */
  warn?(fields: object, message: string): void;
}

/** Logs a warning, if there is a log. Calls it as a method: some loggers need `this`. */
export const logWarning = (log: GateLog | undefined, fields: object, message: string): void =>
  void safely(() =>
    log?.warn === undefined ? log?.info(fields, message) : log.warn(fields, message),
  );
