/**
 * What the HTTP service needs of the daemon, and types that its files share.
 */
import type { FleetSettings } from '@fleet-estop/settings';
import type { Store } from '../state/store.ts';

export interface ServeLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface ServeContext {
  readonly root: string;
  readonly store: Store;
  readonly log: ServeLog;
  readonly configState: () => {
    readonly settings: FleetSettings;
    readonly rejected: readonly {
      readonly path: string;
      readonly problems: readonly string[];
      readonly inForce: 'defaults' | 'last-good';
    }[];
  };
  readonly health: () => {
    readonly mode: string;
    /** What the mode means here. */
    readonly observing: { readonly notices: string | null; readonly polled: number };
    readonly sweepMs: number;
    readonly sweepAgeMs: number;
    readonly deaf: ReadonlyMap<string, string>;
    readonly unannounced: number;
    readonly journalUnreadable: string | null;
    /** Why neither gateways nor a second watcher can find this one; null: they can. */
    readonly lockMissing: string | null;
  };
  readonly caps: { readonly http: number };
  /** Reads everything soon: somebody wrote through us. */
  readonly lookAgain: () => void;
}

/** Where HTTP is reachable right now. */
export interface Served {
  /** null: not on TCP. */
  readonly port: number | null;
  /** Why TCP failed: an errno; null: it did not. */
  readonly port_refused: string | null;
  /** Path of the unix socket; null: it is not open. */
  readonly socket: string | null;
  readonly socket_refused: string | null;
}

/** What other services add to the state document and to `/metrics`. */
export interface Contribution {
  /** Keys besides those of `fleet/state/v1`, such as `webhooks`. */
  readonly state?: () => Readonly<Record<string, unknown>>;
  /** Lines in the Prometheus text format, of metrics that other services keep. */
  readonly metrics?: () => Promise<string>;
}
