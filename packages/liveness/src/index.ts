/** The public surface of liveness, every name by hand. */
export { type Fate, fateOf } from './fate.ts';
export { here, type Place, sharesKernel } from './place.ts';
export { markOf, type ProcessMark, parseMark, processAt } from './process-mark.ts';
