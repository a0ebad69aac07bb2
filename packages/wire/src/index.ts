/** The public API of the wire package; every export is listed by name. */
export { decodeFromGateway, decodeFromWatcher, encode, encodeState, WireError } from './codec.ts';
export { type LineReader, lineReader } from './lines.ts';
export {
  type Ack,
  type FromGateway,
  type FromWatcher,
  type GatewayHeartbeat,
  HEARTBEAT_MS,
  type Hello,
  MAX_LINE_BYTES,
  MAX_SOCKET_PATH,
  PROTOCOL,
  type Refused,
  type ServedProfile,
  STALE_AFTER_MS,
  type State,
  type StateHold,
  type WatcherHeartbeat,
} from './messages.ts';
