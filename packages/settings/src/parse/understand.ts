/**
 * Parses the text of a settings file to settings or to problems.
 * It loads `yaml` and `zod`, so it is only imported lazily: a fleet without settings does not pay for
 * them. Reading the file is `read-settings.ts`.
 */
import type * as z from 'zod';
import { positionsIn } from '../position.ts';
import { type Complaint, type Problem, problemAt } from '../problem.ts';
import { complaintsOf } from './complaints.ts';
import { type Path, readDocument } from './document.ts';
import { type FleetSettings, fleetSchema } from './fleet-file.ts';
import { type ProfileSettings, profileSchema } from './profile-file.ts';

export type Understood<T> = { readonly settings: T } | { readonly problems: readonly Problem[] };

export const understandFleet = (file: string, text: string): Understood<FleetSettings> =>
  understand(file, text, fleetSchema, ([top, key]) => TEXT_OF_FLEET.has(`${top}.${key}`));

/** Durations are read as text: `90` means `90s`. */
const TEXT_OF_FLEET = new Set(['policies.max_ttl', 'watcher.sweep']);

export const understandProfile = (file: string, text: string): Understood<ProfileSettings> =>
  understand(file, text, profileSchema, ([top, key]) => top === 'labels' && key !== undefined);

function understand<T>(
  file: string,
  text: string,
  schema: z.ZodType<T>,
  isText: (path: Path) => boolean,
): Understood<T> {
  const positionOf = positionsIn(text);
  const reading = readDocument(text, positionOf, isText);
  if (reading.complaints.length > 0) return { problems: place(reading.complaints) };
  // jitless: compiling a schema does not pay off for a command that uses it once.
  const judged = schema.safeParse(reading.value, { jitless: true, reportInput: true });
  if (judged.success) return { settings: judged.data };
  return { problems: place(complaintsOf(judged.error.issues, reading)) };

  function place(complaints: readonly Complaint[]): readonly Problem[] {
    return complaints.map((complaint) => problemAt(file, positionOf(complaint.offset), complaint));
  }
}
