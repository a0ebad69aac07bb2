/**
 * What crosses the socket between a gateway and the watcher.
 * How a message becomes a line and back is `codec.ts`; who sends what when is for the two ends.
 */

/** Both ends say it first. Another number is refused with what to do about it. */
export const PROTOCOL = 1;

/** Bytes of one line, its newline included. A longer one ends the connection. */
export const MAX_LINE_BYTES = 65_536;

/** Either end sends at least this often, and calls the other stale after `STALE_AFTER_MS` of silence. */
export const HEARTBEAT_MS = 2_000;
export const STALE_AFTER_MS = 3 * HEARTBEAT_MS;

/** A profile that a gateway serves. */
export interface ServedProfile {
  readonly name: string;
  /** Doors this gateway has for it: `turn`, `cron`, … */
  readonly doors: readonly string[];
  readonly in_flight: number;
}

/** Gateway, first: who it is and what it serves. A second one replaces the list of profiles. */
export interface Hello {
  readonly type: 'hello';
  readonly protocol: number;
  /** Fresh for every run of the process. It belongs to whoever said it first, while that one is connected. */
  readonly instance: string;
  /**
   * 32 to 256 characters that nobody can guess, fresh for every run, and the same in every hello. Who
   * says the same `instance` and `secret` again takes the place of its older connection. Without one
   * (an older gateway) nobody can. The watcher tells it to nobody.
   */
  readonly secret?: string;
  readonly pid: number;
  readonly software: string;
  readonly profiles: readonly ServedProfile[];
}

/** Gateway: the state of this revision is in force at its doors. */
export interface Ack {
  readonly type: 'ack';
  readonly epoch: string;
  readonly revision: number;
  readonly profile: string;
  readonly in_flight: number;
}

/** Gateway: alive, with this much work in hand and this many refusals since it started. */
export interface GatewayHeartbeat {
  readonly type: 'alive';
  readonly profiles: readonly {
    readonly name: string;
    readonly in_flight: number;
    readonly refused: number;
  }[];
}

export type FromGateway = Hello | Ack | GatewayHeartbeat;

/** A hold as a gateway needs it for its notice. The disk has the whole of it. */
export interface StateHold {
  readonly scope: 'profile' | 'root' | 'cluster';
  readonly id: string;
  readonly holder: string | null;
  readonly reason: string | null;
  readonly since: string | null;
  readonly expires_at: string | null;
}

/** Watcher: the whole state of one profile, never a delta. */
export interface State {
  readonly type: 'state';
  readonly epoch: string;
  readonly revision: number;
  readonly profile: string;
  readonly engaged: boolean;
  readonly holds: readonly StateHold[];
  /** Reasons, or holds, were left out so that the other end takes it. */
  readonly shortened?: true;
}

/** Watcher: alive, and this is its newest revision. */
export interface WatcherHeartbeat {
  readonly type: 'alive';
  readonly epoch: string;
  readonly revision: number;
}

/** Watcher, last: the connection ends, and why. */
export interface Refused {
  readonly type: 'refused';
  readonly code: 'protocol' | 'malformed' | 'too-long' | 'too-many' | 'taken' | 'slow' | 'closing';
  readonly message: string;
  readonly hint: string;
}

export type FromWatcher = State | WatcherHeartbeat | Refused;

/**
 * Bytes that fit into a socket's address. Node cuts a longer path without a word, and listens or
 * connects under another name: whoever does either compares first.
 */
export const MAX_SOCKET_PATH = process.platform === 'darwin' ? 103 : 107;
