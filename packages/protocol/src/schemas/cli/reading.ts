/**
 * The documents of `fleet status`, `explain`, `assert`, `gate` and `profiles`.
 */
import * as z from 'zod';
import { maybeText, maybeWhole, text, texts, truth, whole } from '../values.ts';
import { profileDrain } from './drain.ts';
import {
  account,
  chain,
  found,
  hold,
  liftCommand,
  maybeFound,
  notListed,
  rejected,
  scope,
  scopeState,
  skipped,
  watched,
  workInHand,
} from './parts.ts';

export const status = z.strictObject({
  schema: z.literal('fleet/status/v1'),
  ...found,
  ...chain,
  profiles: whole.describe('how many profiles were looked at'),
  profiles_paused: whole.describe('how many of them are held, by whatever scope'),
  profiles_unreadable: notListed,
  scopes: z.array(scopeState).describe('the root and the cluster'),
  only: z
    .enum(['paused', 'running', 'unreadable'])
    .nullable()
    .describe('of `--only`; null: every profile is listed'),
  lanes: z
    .array(
      z.strictObject({
        profile: text,
        ...chain,
        scope: scopeState.nullable().describe('its own scope; null for the profile `default`'),
        work: workInHand.nullable().describe('null: not read'),
        ...account,
      }),
    )
    .describe('the profiles'),
  rejected,
  holders: z
    .array(
      z.strictObject({
        holder: maybeText.describe('null: anonymous holds'),
        holds: z.array(
          z.strictObject({
            ...scope.shape,
            hold,
            hints: z
              .array(z.enum(['no-end', 'no-reason']))
              .describe('of a hold that is older than a day'),
          }),
        ),
      }),
    )
    .nullable()
    .describe('of `--by holder`; null: not asked for'),
  ...watched,
  skipped,
});

const because = z.enum([
  'listed',
  'no-allowlist',
  'no-principal',
  'user-not-listed',
  'profile-not-listed',
  'unreadable',
  'overdue',
  'top-level-disagrees',
]);
const OVERDUE = '`overdue`: expired, but not removable here';

export const explain = z.strictObject({
  schema: z.literal('fleet/explain/v1'),
  ...found,
  user: maybeText.describe('the user that was asked about'),
  lanes: z
    .array(
      z.strictObject({
        profile: maybeText.describe('null: the root'),
        state: chain.state,
        admitted: truth.nullable().describe('whether new work of that user is admitted'),
        scopes: z.array(scopeState).describe('nearest first'),
        rulings: z
          .array(
            z.strictObject({
              scope: scope.describe('where it stands'),
              hold,
              verdict: z.enum(['admits', 'denies']),
              because: because.describe(OVERDUE),
              lift_command: liftCommand,
              ended_before: maybeText.describe(
                'when the journal says that this hold had ended: it stands again, as after a backup was restored',
              ),
            }),
          )
          .describe('one for each hold in the order in which they were found'),
        work: workInHand,
        ...account,
      }),
    )
    .describe('the profiles that were asked about, or the root alone'),
  lanes_held: texts.describe(
    'where only the root was asked about: profiles with holds of their own',
  ),
  ...watched,
  skipped,
});

export const assertion = z.strictObject({
  schema: z.literal('fleet/assert/v1'),
  ...found,
  claim: z.enum(['paused', 'running', 'acknowledged', 'drained', 'held-by', 'free-of']),
  holder: maybeText.describe('of `held-by` and `free-of`'),
  holds: truth.describe(
    'every judgement is a pass; of `acknowledged`, some are `none` perhaps, and one is a pass at least, and all `outsiders` have acknowledged, none of which went away a moment ago',
  ),
  waited_ms: maybeWhole.describe('milliseconds spent in waiting; null: without `--within`'),
  timed_out: truth.describe('it was waited for, and still does not hold'),
  profiles_unreadable: notListed,
  judgements: z
    .array(
      z.strictObject({
        profile: maybeText.describe('null: the root'),
        verdict: z
          .enum(['pass', 'fail', 'unreadable', 'none'])
          .describe(
            '`unreadable`: also where no watcher can be asked, or a gateway went away a moment ago and may come back. `none`: no gateway is connected, and none is expected',
          ),
        ...chain,
        holders: z
          .array(maybeText)
          .describe('whose holds stand in the chain, nearest first; null: nobody’s'),
        unreadable: maybeText.describe('why the state could not be read'),
        drain: profileDrain
          .nullable()
          .describe('of `drained`: what its register and its gateways say; null: another claim'),
        ...account,
      }),
    )
    .describe(
      'the root and every profile, or the profiles asked for; of `acknowledged` and `drained`, never the root',
    ),
  ...watched,
  skipped,
  labels_unknown: texts.describe(
    'of `-l`: profiles that may be meant, since their labels cannot be read; then nothing is asserted',
  ),
});

export const gate = z.strictObject({
  schema: z.literal('fleet/gate/v1'),
  root: maybeFound.root.describe(
    'null: it is there and cannot be reached, or which profile is meant cannot be told, so it counts as held',
  ),
  root_source: maybeFound.root_source,
  skipped: texts.describe('always empty'),
  profile: maybeText.describe('the profile that was asked for; null: the root’s own'),
  door: maybeText.describe('of `--door`'),
  user: maybeText.describe('of `--user`'),
  admitted: truth.describe('new work is admitted: exit status 0'),
  waited_ms: maybeWhole.describe('milliseconds spent in waiting; null: without `--wait`'),
  scopes: z.array(scopeState).describe('the profile’s chain, nearest first'),
  denials: z
    .array(
      z.strictObject({
        scope,
        hold,
        because: because.describe(OVERDUE),
        lift_command: liftCommand,
      }),
    )
    .describe('every hold that refuses, nearest first'),
  unknown: maybeText.describe(
    'a folder that is gone or keeps changing, or why the root could not be reached, or the profiles not be listed: what is not known refuses, too',
  ),
});

export const profiles = z.strictObject({
  schema: z.literal('fleet/profiles/v1'),
  ...found,
  profiles_unreadable: notListed,
  lanes: z
    .array(
      z.strictObject({
        profile: text,
        home: text.describe('its folder'),
        ...chain,
        unreadable: maybeText.describe('why its state could not be read, and so counts as held'),
        settings: z
          .enum(['absent', 'read', 'rejected'])
          .describe('what is known of its `profile.yaml`'),
        description: maybeText,
        labels: z
          .record(z.string(), text)
          .nullable()
          .describe(
            'each label with its text as it is written; null: not known, since the file is rejected',
          ),
        gateway_expected: truth
          .nullable()
          .describe('whether a gateway should be serving it; null: it does not say'),
        problems: z
          .array(
            z.strictObject({
              code: text,
              file: text,
              line: maybeWhole.describe('from 1; null: the file as a whole is meant'),
              column: maybeWhole.describe('from 1'),
              key: maybeText,
              message: text,
              expected: maybeText,
              hint: maybeText,
            }),
          )
          .describe('what is wrong with the file'),
      }),
    )
    .describe('the profiles, in the order of their names'),
  rejected,
  skipped,
});
