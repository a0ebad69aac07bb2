/** The public surface of gateway, every name by hand. */
export type { LaneState } from './link/lane-state.ts';
export { type Link, type LinkOptions, openLink } from './link/open-link.ts';
export type { LinkedProfile, LinkStatus } from './link/status.ts';
