/**
 * What is known of one gateway, for whoever asks.
 * The connection itself is `push/`.
 */

/**
 * connected: it has said hello. acknowledged: every profile it serves is at its newest state.
 * stale: silent for longer than a heartbeat allows. gone: the connection ended.
 */
export type LinkState = 'connected' | 'acknowledged' | 'stale' | 'gone';

export interface GatewayProfileView {
  readonly name: string;
  readonly doors: readonly string[];
  readonly in_flight: number;
  /** Refusals since the gateway started. */
  readonly refused: number;
  /** The newest revision it said is in force at its doors; null: none yet. */
  readonly acknowledged: number | null;
  /** When it said so, ISO 8601; null: it has not. */
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
  readonly profiles: readonly GatewayProfileView[];
}
