/**
 * What the HTTP service needs of the daemon, and types that its files share.
 */
import type { CutDocument, HealthView } from '@fleet-estop/protocol';
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
    readonly observing: HealthView['observing'];
    readonly sweepMs: number;
    readonly sweepAgeMs: number;
    readonly deaf: ReadonlyMap<string, string>;
    readonly unannounced: number;
    readonly journalUnreadable: string | null;
    /** Why neither gateways nor a second watcher can find this one; null: they can. */
    readonly lockMissing: string | null;
  };
  readonly caps: { readonly http: number };
  /** Has the gateways of a profile tell the owners of its work, and abort it. */
  readonly cut: (
    profile: string,
    request: { readonly id: string; readonly reason: string; readonly deadline_ms: number },
  ) => Promise<CutDocument['gateways']>;
  /** Reads everything soon: somebody wrote through us. */
  readonly lookAgain: () => void;
}

/** What other services add to the state document and to `/metrics`. */
export interface Contribution {
  /** Keys besides those of `fleet/state/v1`, such as `webhooks`. */
  readonly state?: () => Readonly<Record<string, unknown>>;
  /** Lines in the Prometheus text format, of metrics that other services keep. */
  readonly metrics?: () => Promise<string>;
}
