/**
 * The messages between a gateway and the watcher, and the limits of the socket.
 * Encoding and decoding is `codec.ts`; when to send what is decided by the two ends.
 */

/** Version of the protocol, sent in the hello. Another number is refused with a hint. */
export const PROTOCOL = 1;

/** Bytes of one line, with its newline. A longer line ends the connection. */
export const MAX_LINE_BYTES = 65_536;

/** Each end sends at least this often, and treats the other as stale after `STALE_AFTER_MS` of silence. */
export const HEARTBEAT_MS = 2_000;
export const STALE_AFTER_MS = 3 * HEARTBEAT_MS;

/** A profile that a gateway serves. */
export interface ServedProfile {
  readonly name: string;
  /** Doors of this gateway for the profile: `turn`, `cron`, … */
  readonly doors: readonly string[];
  readonly in_flight: number;
}

/** First message of a gateway: who it is and what it serves. A later hello replaces the list of profiles. */
export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  /** New for every run of the process. It belongs to the first connection that sent it, while it is open. */
  readonly instance: string;
  /**
   * 32 to 256 unguessable characters, new for every run and the same in every hello. A hello with the same
   * `instance` and `secret` replaces the older connection; without a secret (older gateways) this is not
   * possible. The watcher never shows it.
   */
  readonly secret?: string;
  readonly pid: number;
  readonly software: string;
  readonly profiles: readonly ServedProfile[];
}

/** From a gateway: the state of this revision is in force at its doors. */
export interface Ack {
  readonly type: 'ack';
  readonly epoch: string;
  readonly revision: number;
  readonly profile: string;
  readonly in_flight: number;
}

/** From a gateway: alive, with the work in hand and the refusals since its start, for changed profiles. */
export interface GatewayHeartbeat {
  readonly type: 'alive';
  readonly profiles: readonly {
    readonly name: string;
    readonly in_flight: number;
    readonly refused: number;
  }[];
}

export type FromGateway = Hello | Ack | GatewayHeartbeat;

/** A hold, as a gateway needs it for display. The complete hold is on disk. */
export interface StateHold {
  readonly scope: 'profile' | 'root' | 'cluster';
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly since: string | null;
  readonly expires_at: string | null;
}

/** From the watcher: the complete state of one profile, never a delta. */
export interface State {
  readonly type: 'state';
  readonly epoch: string;
  readonly revision: number;
  readonly profile: string;
  readonly engaged: boolean;
  readonly holds: readonly StateHold[];
  /** Reasons or holds were left out to fit into one line. */
  readonly shortened?: true;
}

/** From the watcher: alive, with its newest revision. */
export interface WatcherHeartbeat {
  readonly type: 'alive';
  readonly epoch: string;
  readonly revision: number;
}

/** Last message of the watcher: why it closes the connection. */
export interface Refused {
  readonly type: 'refused';
  readonly code: 'protocol' | 'malformed' | 'too-long' | 'too-many' | 'taken' | 'slow' | 'closing';
  readonly message: string;
  readonly hint: string;
}

export type FromWatcher = State | WatcherHeartbeat | Refused;

/**
 * Bytes of a socket path. Node silently truncates a longer path, and then listens on or connects to
 * another one: compare before doing either.
 */
export const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;
