/**
 * What serving needs of the daemon, and what is agreed on between the files of this room.
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
    /** What that mode comes to, here. */
    readonly observing: { readonly notices: string | null; readonly polled: number };
    readonly sweepMs: number;
    readonly sweepAgeMs: number;
    readonly deaf: ReadonlyMap<string, string>;
    readonly unannounced: number;
    readonly journalUnreadable: string | null;
    /** Why no gateway and no second watcher finds this one. */
    readonly lockMissing: string | null;
  };
  readonly caps: { readonly http: number };
  /** Everything, soon: somebody wrote through us. */
  readonly lookAgain: () => void;
}

/** Where HTTP can be reached right now. */
export interface Served {
  /** null: not on TCP. */
  readonly port: number | null;
  /** Why it is not, though it should be: an errno. */
  readonly port_refused: string | null;
  /** Path of the unix socket; null: it could not be opened. */
  readonly socket: string | null;
  readonly socket_refused: string | null;
}

/** What others have to say in the documents and metrics that are served here. */
export interface Contribution {
  /** Keys beside those of `fleet/state/v1`, such as `webhooks`. */
  readonly state?: () => Readonly<Record<string, unknown>>;
  /** Lines in the text format of Prometheus, of metrics that are not ours. */
  readonly metrics?: () => string;
}
