/** The public API of the watcher; every name is listed by hand. */
export {
  type ConfigState,
  type Health,
  type LockUnavailable,
  type Service,
  type ServiceContext,
  type Started,
  startWatcher,
  type Watcher,
  type WatcherOptions,
} from './daemon.ts';
export type { Log } from './log.ts';
export { OBSERVE_MODES, type ObserveMode } from './observe/choose.ts';
export type { RejectedFile } from './observe/live-file.ts';
// Other packages import it by its older name.
export { pushService } from './push/service.ts';
export { runWatcher } from './run.ts';
export { httpService, type ServeOptions } from './serve/service.ts';
export { judge } from './state/acknowledgement.ts';
export { documentOf, documentOfLook } from './state/document.ts';
export type { FleetEvent } from './state/event-log.ts';
export type {
  FleetState,
  ProfileState,
  ScopeState,
} from './state/fleet-state.ts';
export { readFleet } from './state/read-fleet.ts';
export type { Snapshot, Store } from './state/store.ts';
export type { HookLimits } from './webhooks/hook.ts';
export { type Webhooks, webhooks } from './webhooks/service.ts';
