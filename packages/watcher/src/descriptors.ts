/**
 * Connection limits that keep descriptors free: idle connections must not stop the watcher from
 * reading the fleet.
 */
import { report } from 'node:process';

export interface Caps {
  /** The process's descriptor limit; null: unlimited. */
  readonly descriptors: number | null;
  /** Gateway connections. */
  readonly gateways: number;
  /** Connections per HTTP server; there is one on TCP and one on a unix socket. */
  readonly http: number;
}

const MOST: Caps = { descriptors: null, gateways: 4_096, http: 1_024 };

/**
 * Reserved for the fleet, its settings, the journal, receipts and webhooks. Reading a fleet takes a
 * few descriptors at a time; on macOS each watched folder takes one.
 */
const MIN_RESERVED = 64;

/** Of the rest, gateways get half and each HTTP server a quarter. */
export function capsFor(descriptors: number | null): Caps {
  if (descriptors === null) return MOST;
  const free = Math.max(4, descriptors - Math.max(MIN_RESERVED, Math.ceil(descriptors / 4)));
  return {
    descriptors,
    gateways: Math.min(MOST.gateways, Math.floor(free / 2)),
    http: Math.min(MOST.http, Math.floor(free / 4)),
  };
}

/** The process's own limit; Node raises the soft limit to the hard one at its start. */
export function descriptorLimit(): number | null {
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}
