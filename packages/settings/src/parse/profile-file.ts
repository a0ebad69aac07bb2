/**
 * The schema of `profile.yaml`, version 1. Types and the JSON Schema for editors are generated from it.
 * The rules for labels are shared with the selectors, in `labels.ts`.
 */
import * as z from 'zod';
import { KEY, KEY_RULE, VALUE, VALUE_RULE } from '../labels.ts';
import { mapping, truth, version } from './leaves.ts';
import { restart } from './restart.ts';

/** Characters; fits into a line or two of a table. */
const MAX_DESCRIPTION = 200;
const DESCRIPTION = `text of at most ${MAX_DESCRIPTION} characters`;
const MAX_LABELS = 64;

const labels = z
  .record(
    z.string().regex(KEY, { error: `the name of a label: ${KEY_RULE}` }),
    z
      .string({ error: VALUE_RULE })
      .regex(VALUE, { error: VALUE_RULE })
      // Labels are taken as written, so editors must accept `1.10` and `007` without quotes.
      .meta({ type: ['string', 'number', 'boolean', 'null'] }),
    { error: 'a mapping of labels' },
  )
  .refine((all) => Object.keys(all).length <= MAX_LABELS, { error: `at most ${MAX_LABELS} labels` })
  .meta({ maxProperties: MAX_LABELS });

export const profileSchema = mapping({
  version: version().meta({ description: 'Version of this format.' }),
  description: z
    .exactOptional(
      z
        .string({ error: DESCRIPTION })
        .refine((text) => [...text].length <= MAX_DESCRIPTION, { error: DESCRIPTION })
        .meta({ maxLength: MAX_DESCRIPTION }),
    )
    .meta({ description: 'What the profile is for.' }),
  labels: z.exactOptional(labels).meta({
    description: 'What selects the profile with `-l`. Values are taken as they are written.',
  }),
  gateway: z.exactOptional(
    mapping({
      expected: z
        .exactOptional(truth())
        .meta({ description: 'Whether a gateway should be serving this profile.' }),
      restart: z.exactOptional(restart),
    }),
  ),
}).meta({ title: 'profile.yaml', description: 'Settings of a profile, in its home folder.' });

/** `profile.yaml` as read: the keys of the file; labels are text as written. */
export type ProfileSettings = z.infer<typeof profileSchema>;
