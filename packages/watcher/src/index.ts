/** The public surface of watcher, every name by hand. */
export {
  type FleetState,
  type HoldView,
  type ProfileState,
  readFleet,
  type ScopeState,
} from './state/fleet-state.ts';
export { type FleetWatch, type WatchOptions, watchFleet } from './watch-fleet.ts';
