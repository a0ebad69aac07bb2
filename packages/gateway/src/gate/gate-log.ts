/**
 * The author's logger. What is logged is `profile.ts`, `expiry-log.ts` and `skipped-work.ts`.
 */
import { safely } from '../link/safely.ts';
import type { Gate } from './gate.ts';

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

const logs = new WeakMap<Gate, GateLog>();

export const keepLog = (gate: Gate, log: GateLog | undefined): void => {
  if (log !== undefined) logs.set(gate, log);
};

/** The log of the author of this gate, for the doors of this package. */
export const logOf = (gate: Gate): GateLog | undefined => logs.get(gate);
