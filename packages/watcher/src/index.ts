/** The public surface of watcher, every name by hand. */
export {
  type FleetState,
  type HoldSummary,
  type LaneState,
  readFleet,
  type ScopeSummary,
} from './fleet-state.ts';
export { type FleetWatch, type WatchOptions, watchFleet } from './watch-fleet.ts';
