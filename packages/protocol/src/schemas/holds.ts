/**
 * The request that arms a hold over HTTP, and the answers to writing.
 */
import * as z from 'zod';
import { hold } from './fleet.ts';
import { maybeText, text, texts, truth } from './values.ts';

const request = {
  holder: text.min(1).max(64),
  reason: z.exactOptional(maybeText).describe('Omitted: keep this holder’s reason; null: none.'),
  ttl: z.exactOptional(maybeText).describe('Such as 45m or 1h30m. null: no deadline.'),
  until: z.exactOptional(text.meta({ format: 'date-time' }).nullable()),
  allow_users: z.exactOptional(texts.max(1_000).nullable()),
  if_generation: z
    .exactOptional(maybeText)
    .describe(
      'Arm only if this is the generation of what stands in the scope; null: only if nothing stands. Else 409.',
    ),
  dry_run: z.exactOptional(truth).describe('true: write nothing, and answer what would happen.'),
};

/** `write-request.ts` of the watcher reads it by hand: its messages name the mistake. */
export const holdRequest = z.union([
  z.strictObject({ profile: text.regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), ...request }),
  z.strictObject({ root: z.literal(true).describe('The whole fleet.'), ...request }),
]);

export const holdTerms = z
  .strictObject({
    id: maybeText.describe('null: it does not stand yet.'),
    holder: maybeText,
    reason: maybeText,
    since: maybeText,
    expires_at: maybeText,
    allow_users: texts.nullable().describe('Who may pass; null: nobody.'),
    allow_profiles: texts.nullable().describe('Profiles for which they may pass; null: all.'),
  })
  .describe('A hold as shown to clients with write access.');

/** The effect of a hold that is placed, or would be. */
export const effect = z.strictObject({
  replaced_hold: holdTerms.nullable().describe('This holder’s hold that it replaces.'),
  closed_out: texts.describe('Who could pass before, and cannot now.'),
  warnings: texts.describe('Where it is looser than the hold it replaces, and whom it closes out.'),
});

const operation = text.describe(
  'Id of this call, as in the journal; `fleet resume --undo` takes it.',
);

export const armed = z.strictObject({
  schema: z.literal('fleet/armed/v1'),
  armed: z.literal(true),
  operation,
  hold,
  profile: maybeText.describe('null: the whole fleet.'),
  replaced: maybeText.describe('Id of `replaced_hold`.'),
  holds: z.array(hold).describe('Holds in the scope, as read back.'),
  ...effect.shape,
});

export const wouldArm = z
  .strictObject({
    schema: z.literal('fleet/would-arm/v1'),
    armed: z.literal(false),
    hold: holdTerms,
    profile: maybeText,
    generation: maybeText.describe('For `if_generation`. null: nothing stands.'),
    comparable: truth.describe(
      'false: the standing hold has no generation, so omit `if_generation`.',
    ),
    ...effect.shape,
  })
  .describe('What would happen now. Nothing was written.');

export const lifted = z.strictObject({
  schema: z.literal('fleet/lifted/v1'),
  lifted: z.literal(true),
  operation,
  hold,
  profile: maybeText,
  remaining: z.array(hold).describe('It stays held until these are gone too.'),
  warnings: texts,
});
