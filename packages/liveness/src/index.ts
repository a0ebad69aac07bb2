/** The public API of the liveness package; every export is listed by name. */
export { type Fate, fateOf } from './fate.ts';
export { here, type Place, sharesKernel } from './place.ts';
export { markOf, type ProcessMark, parseMark, processAt } from './process-mark.ts';
