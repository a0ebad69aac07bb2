/**
 * How many connections this process may have without running out of descriptors: a stranger who
 * connects and says nothing must not keep the watcher from reading the fleet.
 */
import { report } from 'node:process';

export interface Caps {
  /** Descriptors that this process may have open; null: as many as it likes. */
  readonly descriptors: number | null;
  /** Connections of gateways. */
  readonly gateways: number;
  /** Connections of one HTTP server; there is one on TCP and one on a unix socket. */
  readonly http: number;
}

const MOST: Caps = { descriptors: null, gateways: 4_096, http: 1_024 };

/**
 * For the fleet, its settings, the journal, receipts and webhooks, whoever connects: reading a fleet
 * takes a handful at a time, and on macOS each watched folder takes one.
 */
const MIN_RESERVED = 64;

/** Of what is left, gateways have half and each HTTP server a quarter. */
export function capsFor(descriptors: number | null): Caps {
  if (descriptors === null) return MOST;
  const free = Math.max(4, descriptors - Math.max(MIN_RESERVED, Math.ceil(descriptors / 4)));
  return {
    descriptors,
    gateways: Math.min(MOST.gateways, Math.floor(free / 2)),
    http: Math.min(MOST.http, Math.floor(free / 4)),
  };
}

/** Of this process; Node raises the soft limit to the hard one when it starts. */
export function descriptorLimit(): number | null {
  const { userLimits } = report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } };
  };
  const soft = userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : null;
}
