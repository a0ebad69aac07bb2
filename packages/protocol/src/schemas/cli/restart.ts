/** The document of `fleet restart`. */
import * as z from 'zod';
import { maybeText, text, texts, truth, whole } from '../values.ts';
import { found } from './parts.ts';

export const restart = z.strictObject({
  schema: z.literal('fleet/restart/v1'),
  ...found,
  operation: text.describe('id of this call; the same in the journal and in `.fleet/restart.json`'),
  results: z
    .array(
      z.strictObject({
        profiles: texts.describe('one process serves them, so they were restarted together'),
        outcome: z
          .enum(['restarted', 'not-restarted', 'failed', 'not-lifted', 'interrupted'])
          .describe(
            '`restarted`: a new instance was seen to stay, and the own hold is lifted. `not-restarted`: nothing was restarted, and the own hold is lifted. `failed`: no new instance was seen to stay, and the profiles stay held. `not-lifted`: verified, and the own hold could not be lifted',
          ),
        why: maybeText.describe('in words, which may change; null with `restarted`'),
        means: texts.describe('what was started for it, or would have been, word by word'),
        old_instances: texts.describe('gateways that served them before'),
        new_instances: texts.describe('gateways that were seen to serve them afterwards'),
        drained: truth.describe('nothing was in hand when it was restarted'),
        told: whole.describe('conversations that were told that their work is cut'),
        notices: texts.describe('whom nobody could tell, and what still holds, in words'),
      }),
    )
    .describe('in the order in which they ended'),
  untouched: texts.describe('profiles of the selection to which nothing was done'),
});
