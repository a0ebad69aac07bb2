/** The public API of the settings package; every export is listed by name. */
export {
  type Labels,
  matches,
  type ParsedSelector,
  parseSelector,
  type Selector,
} from './labels.ts';
export type { FleetSettings } from './parse/fleet-file.ts';
export type { Duration } from './parse/leaves.ts';
export type { ProfileSettings } from './parse/profile-file.ts';
export type { RestartSettings } from './parse/restart.ts';
export { checkPolicies, type PauseRequest, type Violation } from './policies.ts';
export { describeProblem, type Problem, type ProblemCode } from './problem.ts';
export {
  FLEET_FILE,
  loadParser,
  PROFILE_FILE,
  readFleetSettings,
  readProfileSettings,
  type SettingsFile,
} from './read-settings.ts';
export { fits } from './wildcard.ts';
