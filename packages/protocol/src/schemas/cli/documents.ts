/** The documents that `fleet` prints with `--json`, by the name in their `schema`. */
import type * as z from 'zod';
import { drain, extend, pause, resume, resumeStaged } from './changing.ts';
import { assertion, explain, gate, profiles, status } from './reading.ts';
import { completion, doctor, history, init, refused } from './records.ts';
import { restart } from './restart.ts';

export const cliDocuments: Readonly<Record<string, z.ZodType>> = {
  'fleet/status/v1': status,
  'fleet/pause/v1': pause,
  'fleet/drain/v1': drain,
  'fleet/resume/v1': resume,
  'fleet/resume-staged/v1': resumeStaged,
  'fleet/restart/v1': restart,
  'fleet/extend/v1': extend,
  'fleet/explain/v1': explain,
  'fleet/assert/v1': assertion,
  'fleet/gate/v1': gate,
  'fleet/history/v1': history,
  'fleet/refused/v1': refused,
  'fleet/doctor/v1': doctor,
  'fleet/profiles/v1': profiles,
  'fleet/init/v1': init,
  'fleet/completion/v1': completion,
};
