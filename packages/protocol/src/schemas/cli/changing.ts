/**
 * The documents of `fleet pause`, `drain`, `resume` and `extend`.
 */
import * as z from 'zod';
import { maybeText, text, texts, truth, whole } from '../values.ts';
import { drained } from './drain.ts';
import {
  chain,
  found,
  gateway,
  hold,
  holdsAfter,
  liftCommand,
  maybePassers,
  scope,
  scopeState,
  skipped,
  watcher,
} from './parts.ts';

const change = {
  dry_run: truth.describe(
    'nothing was written: everything else in the document is what would have been, but for ids, times and generations, which are new on every call',
  ),
  operation: maybeText.describe(
    'id of this call, for `resume --undo`; the same in the journal. null: it changed nothing',
  ),
};

const settings = z
  .enum(['absent', 'read', 'rejected'])
  .describe(
    'what is known of `fleet.yaml` and so of its policies; where it is `rejected`, none was applied and stderr says why',
  );

const body = maybeText.describe(
  'in a dry run, the text of the sentinel that would stand, to the letter; null: none would, or it is no file; always null otherwise',
);

export const wait = z.strictObject({
  outcome: z
    .enum(['acknowledged', 'partial', 'nobody', 'no-watcher', 'not-shown', 'undone', 'interrupted'])
    .describe(
      '`acknowledged`: by all who are expected, and by somebody. `nobody`: no gateway is connected, and none went away a moment ago. `not-shown`: the watcher did not see it. `undone`: it was lifted, or held again, meanwhile',
    ),
  waited_ms: whole.describe('milliseconds spent in waiting'),
  timeout_ms: whole.describe('how long it would have waited'),
  watcher: watcher.describe('of the last question'),
  undone: texts.describe('what is no longer so, in words, which may change'),
  gateways: z
    .array(
      z.strictObject({
        ...gateway.shape,
        after_ms: whole
          .nullable()
          .describe(
            'milliseconds from the beginning of the write to the acknowledgement; null: there is none, or it came before',
          ),
        resume_spread_ms: whole
          .nullable()
          .describe(
            'milliseconds over which it spreads its catch-up work after a lift; null: it does not say',
          ),
      }),
    )
    .describe(
      'gateways of the profiles that were waited for, one entry for each profile that it serves; those that went away meanwhile as well',
    ),
  absent: texts.describe('profiles without a gateway although one is expected, or may well be'),
  unserved: texts.describe(
    'profiles without a gateway, and none is expected: they are not counted',
  ),
  unshown: texts.describe('profiles whose new state the watcher has not seen'),
  outsiders: z
    .array(gateway)
    .describe(
      'gateways that serve a name which is no profile of this fleet, those that went away meanwhile as well; of a whole fleet, each has to acknowledge',
    ),
  profiles_unknown: maybeText.describe(
    'why it is not known which profiles there are, and so whether all have acknowledged',
  ),
  gateways_unknown: truth.describe(
    'no watcher could be asked, it had just been started, or a gateway went away a moment ago and may come back: there may be gateways that are missing here',
  ),
});

const waited = wait
  .nullable()
  .describe(
    'what `--wait` came to; null: nobody waited, since it was not asked for, or since what was to be waited for was not done',
  );

const placed = z
  .array(
    z.strictObject({
      ...scope.shape,
      covers: texts
        .nullable()
        .describe('profiles that the scope binds; null: they could not be listed'),
      body,
      armed: truth.describe('this hold stands as it was asked for, and was read back from disk'),
      already_held: truth.describe(
        'it stood so before, and nothing was written: its id is the old one',
      ),
      engaged: truth.nullable().describe('the scope is held, be it by others; null: not known'),
      why: maybeText.describe(
        'a word or errno code: what prevented the hold, or made it `degraded`',
      ),
      hold: hold.nullable().describe('this hold, as read back'),
      replaced: maybeText.describe('id of the same holder’s hold that it replaced'),
      replaced_hold: hold.nullable().describe('that hold, as it was'),
      replaced_of_another: truth.describe('another user placed that one, under the same name'),
      ends_earlier: truth.describe(
        'this hold ends before the one that it replaced would have, or ends at all',
      ),
      more_may_pass: maybePassers.describe(
        'whom this hold lets through, and the one that it replaced did not',
      ),
      degraded: z
        .enum(['direct', 'empty', 'folder'])
        .nullable()
        .describe(
          '`direct`: written without taking turns; `empty`, `folder`: only an empty file, or only an empty folder, could be placed, which lets nobody through and has no deadline',
        ),
      reason_shortened: truth.describe('the reason was too long and was cut'),
      may_pass: maybePassers.describe('who passes every hold of the chain'),
      no_longer_passes: maybePassers.describe('who passed this scope before and does not now'),
      lift_command: liftCommand,
      generation: maybeText.describe('of the body afterwards'),
      holds: holdsAfter,
    }),
  )
  .describe('one for each scope, in the order in which they were tried');

export const pause = z.strictObject({
  schema: z.literal('fleet/pause/v1'),
  ...found,
  ...change,
  settings,
  results: placed,
  skipped,
  deadline_beyond_dates: truth.describe('the deadline was later than any date, so there is none'),
  wait: waited,
  drain: drained
    .nullable()
    .describe('what `--drain` came to; null: not asked for, or the hold was not placed'),
});

export const drain = z.strictObject({
  schema: z.literal('fleet/drain/v1'),
  ...found,
  ...change,
  settings: settings
    .nullable()
    .describe(
      'what is known of `fleet.yaml` and so of its policies; null: no hold had to be placed',
    ),
  results: placed.describe(
    'the holds that it placed or tried to place, as of `pause`; none: everything was paused already',
  ),
  standing: z
    .array(
      z.strictObject({
        profile: maybeText.describe('null: the whole fleet'),
        ...chain,
        holds: z.array(z.strictObject({ scope, hold })),
      }),
    )
    .describe('what was held already, by whatever hold: nothing was placed there'),
  skipped,
  deadline_beyond_dates: truth.describe('the deadline was later than any date, so there is none'),
  drain: drained
    .nullable()
    .describe(
      'what the waiting came to; null: nobody waited, since a hold could not be placed or this was a dry run',
    ),
});

const missed = z
  .enum(['skip', 'catch-up', 'ask'])
  .nullable()
  .describe(
    'what gateways are told with the lift about missed work; null: nothing, each does what its author chose',
  );

export const resume = z.strictObject({
  schema: z.literal('fleet/resume/v1'),
  ...found,
  ...change,
  undone: maybeText.describe('the operation that `--undo` named'),
  missed,
  results: z
    .array(
      z.strictObject({
        ...scope.shape,
        lifted: z.array(hold).describe('what this call lifted'),
        placed_by_others: texts.describe(
          'ids of those that another user placed, under the same name',
        ),
        why: maybeText.describe(
          'a word or errno code why it lifted nothing: `absent`, `not-held`, `superseded`, `changed` (of `--undo`), `missed-unwritten` (the choice of `--missed` could not be written), …',
        ),
        left: maybeText.describe(
          'with `--undo`: why a hold of the same holder stays. `replaced`: it was written again since; `changed`: it stood before the operation, which wrote it again',
        ),
        expired_removed: truth.describe('only an expired sentinel was there, and it was removed'),
        body,
        ...chain,
        remaining: z
          .array(z.strictObject({ scope, hold, lift_command: liftCommand }))
          .describe('every hold of the chain that still stands'),
      }),
    )
    .describe('one for each scope; its state is as read afterwards'),
  lanes_held: z
    .array(z.strictObject({ profile: text, scope: scopeState.nullable() }))
    .describe('after the root was resumed: profiles with holds of their own'),
  beyond_selection: z
    .array(z.strictObject({ profile: text, holds: z.array(hold) }))
    .describe('with `-l`: profiles without these labels in which the same holder holds'),
  wait: waited,
  skipped,
});

export const resumeStaged = z.strictObject({
  schema: z.literal('fleet/resume-staged/v1'),
  ...found,
  dry_run: truth.describe('nothing was done: `waves` is what would be'),
  operation: maybeText.describe('id of this call; the same in the journal. null: a dry run'),
  holder: text.describe('whose holds keep profiles until their turn'),
  missed,
  stopped: maybeText.describe('why not every wave had its turn; null: every one had it'),
  waves: z
    .array(
      z.strictObject({
        profiles: texts,
        at: maybeText.describe('when it began; null: it has not'),
      }),
    )
    .describe('in their order'),
  results: z
    .array(
      z.strictObject({
        profile: text,
        state: chain.state.describe('as read afterwards'),
        holders: z.array(maybeText).describe('distinct; null: nobody signed'),
      }),
    )
    .describe('for each selected profile, or for all'),
  waiting: texts.describe('profiles that have not had their turn and are held until then'),
  continue_with: maybeText.describe('a shell command that goes on with them; null: nobody waits'),
});

export const extend = z.strictObject({
  schema: z.literal('fleet/extend/v1'),
  ...found,
  ...change,
  settings,
  results: z
    .array(
      z.strictObject({
        ...scope.shape,
        body,
        extended: truth.describe('the deadline was moved, and was read back from disk'),
        why: maybeText.describe(
          'why it was not: `absent`, `expired`, `not-held`, `anonymous` (nobody’s hold), `twice` (its holder has two there), `unfenced` (the file has no generation), `ends-later` (it ends later already, or never, and `--shorten` was not given), `armed-anew` (it ended meanwhile, and what was placed could not be lifted), `conflict`, or another word or errno code',
        ),
        hold: hold.nullable().describe('the hold, as read back'),
        replaced: maybeText.describe('its id before: every write of a hold gives it a new one'),
        previous_expires_at: maybeText.describe(
          'its deadline before; null as well where it had none',
        ),
        shortened: truth.describe('it ends earlier than before, or at all'),
        lift_command: liftCommand,
        generation: maybeText.describe('of the body afterwards'),
        holds: holdsAfter,
      }),
    )
    .describe('one for each scope, in the order in which they were tried'),
  skipped,
});
