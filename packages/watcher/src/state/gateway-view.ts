/**
 * What the watcher publishes about one gateway.
 * The connection is `push/`.
 */

/**
 * connected: it has sent hello. acknowledged: every profile it serves is at its newest state.
 * stale: silent for longer than a heartbeat allows. gone: the connection ended.
 */
export type LinkState = 'connected' | 'acknowledged' | 'stale' | 'gone';

export interface GatewayProfileView {
  readonly name: string;
  readonly doors: readonly string[];
  readonly in_flight: number;
  /** Refusals since the gateway started. */
  readonly refused: number;
  /** The newest revision that it has applied; null: none yet. */
  readonly acknowledged: number | null;
  /** When it acknowledged, ISO 8601; null: not yet. */
  readonly acknowledged_at: string | null;
}

export interface GatewayView {
  readonly instance: string;
  readonly pid: number;
  readonly software: string;
  readonly link: LinkState;
  readonly connected_at: string;
  readonly last_seen_at: string;
  /** When the connection ended, ISO 8601; null: it has not. */
  readonly gone_at: string | null;
  /** It disconnected a moment ago and may connect again. */
  readonly returning?: boolean;
  readonly profiles: readonly GatewayProfileView[];
}
