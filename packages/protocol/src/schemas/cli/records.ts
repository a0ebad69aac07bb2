/**
 * The documents of `fleet history`, `doctor`, `init` and `completion`.
 */
import * as z from 'zod';
import { maybeText, maybeWhole, scopeKind, text, texts, truth, whole } from '../values.ts';
import { actor, found, maybeFound, notListed, skipped } from './parts.ts';

export const history = z.strictObject({
  schema: z.literal('fleet/history/v1'),
  ...found,
  records: z
    .array(
      z.strictObject({
        at: text.describe('when, in ISO 8601'),
        event: text.describe(
          '`arm`, `re-arm`, `lift`, `expire` (with `actor` null where no line says so, and the deadline alone does), `retire`, `foreign-arm` or `foreign-lift`; a later version may have written others',
        ),
        kind: scopeKind,
        profile: maybeText.describe('name, for a profile’s scope'),
        scope: text.describe('the scope’s folder, as it was called then'),
        holds: z
          .array(
            z.strictObject({
              id: text,
              holder: maybeText,
              reason: maybeText,
              expires_at: maybeText,
            }),
          )
          .describe('what it was done to'),
        generation: maybeText.describe('of the body afterwards; null: none was left'),
        actor: actor.describe(
          'who did it, for people: `user`, `host`, `pid`, `via`; of `foreign-arm` and `foreign-lift` the watcher that saw it',
        ),
        operation: maybeText.describe(
          'id of the call that did it; null: none was given, as by older versions, the watcher and chat',
        ),
      }),
    )
    .describe('what was done, oldest first, the newest 1,000 unless `--limit` says otherwise'),
  omitted: whole.describe('how many older ones were asked for, and are beyond the limit'),
  vanished: z
    .array(
      z.strictObject({
        id: text,
        holder: maybeText,
        reason: maybeText,
        profile: maybeText,
        scope: text,
        begun_at: text,
      }),
    )
    .describe('holds that are gone before any deadline of theirs, and of whose end no line tells'),
  corrupt: whole.describe('lines of the journal that cannot be read, and are skipped'),
  corrupt_lines: z
    .array(
      z.strictObject({
        file: text,
        line: whole.describe('from 1'),
        why: text.describe('`not-utf8`, `not-json`, `not-a-record`, `too-long` or `unfinished`'),
      }),
    )
    .describe('the first 100 of them'),
  unreadable: z
    .array(z.strictObject({ file: text, why: text }))
    .describe('journals that cannot be read at all, which is exit status 3'),
  skipped: skipped.describe(
    'profiles that neither exist nor are in the journal, accepted by `--allow-missing`',
  ),
});

export const refused = z.strictObject({
  schema: z.literal('fleet/refused/v1'),
  ...found,
  doors: texts.nullable().describe('of `--door`; null: every door'),
  refused: whole.describe('how many receipts of a refusal there are of what was asked for'),
  counts: z
    .array(
      z.strictObject({
        profile: text,
        door: text,
        refused: whole,
        skipped: whole.describe(
          'missed work that was not refused, but skipped because a lift said `--missed skip`',
        ),
        first_at: text.describe('in ISO 8601'),
        last_at: text,
      }),
    )
    .describe('by profile and door'),
  newest: z
    .array(
      z.strictObject({
        at: text.describe('when, in ISO 8601, by the gateway’s clock'),
        profile: text.describe('as the gateway named it'),
        door: text,
        principal: maybeText.describe('who asked, as far as the gateway knew'),
        holds: texts.describe('ids of the holds that refused'),
        skipped: truth.describe(
          'it was not refused: it was missed while the holds stood, and their lift said `--missed skip`',
        ),
        pid: whole.describe('the gateway’s process'),
        instance: text.describe('its run'),
      }),
    )
    .describe('the newest ten unless `--limit` says otherwise, oldest first'),
  omitted: whole.describe('how many older ones are only counted'),
  pruned: texts.describe(
    'profiles of which older receipts may have been removed to make room, and more refused than is counted',
  ),
  corrupt: z
    .array(z.strictObject({ profile: text, lines: whole }))
    .describe('how many lines of a profile’s receipts cannot be read, and are skipped'),
  unreadable: z
    .array(z.strictObject({ profile: text, why: text }))
    .describe('files that cannot be read at all, which is exit status 3'),
  profiles_unreadable: notListed,
  skipped,
});

export const doctor = z.strictObject({
  schema: z.literal('fleet/doctor/v1'),
  root: maybeFound.root.describe('null: no root was found, and `findings` says why'),
  root_source: maybeFound.root_source,
  candidates: z
    .array(
      z.strictObject({
        source: text,
        path: maybeText.describe('null: not set'),
        state: text.describe('`folder`, `not-a-folder`, `missing`, `unset`, or an errno code'),
        chosen: truth,
      }),
    )
    .describe('where a root is looked for, in order'),
  problems: whole.describe('how many findings are problems'),
  warnings: whole.describe('how many are warnings'),
  unexamined: whole.describe('how many things could not be looked at'),
  findings: z
    .array(
      z.strictObject({
        level: z.enum(['problem', 'warning', 'note', 'ok']).describe('`problem`: exit status 1'),
        check: z
          .enum([
            'root',
            'access',
            'file-system',
            'lanes',
            'sentinels',
            'leftovers',
            'settings',
            'clock',
            'notices',
            'journal',
            'work',
            'receipts',
            'restarts',
            'token',
            'watcher',
          ])
          .describe('`work`: in hand, by the registers that gateways keep'),
        what: text.describe('in words, which may change'),
        where: maybeText.describe('a path'),
        line: maybeWhole.describe('in that file, from 1'),
        column: maybeWhole.describe('from 1'),
        todo: maybeText.describe('what to do about it, in words'),
        unexamined: truth.describe('it could not be looked at (exit status 3)'),
      }),
    )
    .describe('what was found, after repairs'),
  repaired: z
    .array(z.strictObject({ what: text, where: text }))
    .describe('what `--fix` has put right'),
  skipped: texts.describe('always empty'),
});

export const init = z.strictObject({
  schema: z.literal('fleet/init/v1'),
  root: text.describe('the folder of the fleet'),
  root_source: text.describe('`argument`, `--root`, `FLEET_ROOT` or `~/.fleet`'),
  made: texts.describe(
    'paths from the root, folders with a slash at the end, `./` for the root itself; an absolute path for a folder above it',
  ),
  kept: texts.describe('what would have been made, and was there'),
  complete: truth.describe('everything is there'),
  failed: z
    .strictObject({ path: text, why: text.describe('an errno code or a sentence') })
    .nullable()
    .describe('where it ended'),
  group: maybeText.describe('who shares it'),
  unshared: texts.describe(
    'what was kept and is not the group’s, so that the fleet is not shared yet',
  ),
  found_without_root: truth.describe('`fleet` finds this root without being told'),
});

export const completion = z.strictObject({
  schema: z.literal('fleet/completion/v1'),
  shell: text,
  script: text,
});

/** A line of `fleet events --json` that is no event. */
export const gapLine = z.strictObject({
  type: z.literal('gap'),
  time: text.describe('when that was heard, by the clock here'),
  after: text.describe('id of the last event that was seen before it'),
  why: text.describe(
    '`another-run` (the watcher was started again), `too-old` (it no longer has them) or `not-understood` (the id is none of its own)',
  ),
  id: maybeText.describe('from where it goes on, for `--since`'),
  profiles: maybeWhole.describe(
    'in the state from which it goes on: how many profiles there are of those asked for; null, as all that follows: it was not understood',
  ),
  profiles_paused: maybeWhole.describe('how many of them are paused'),
  held_by: texts.nullable().describe('kinds of scope that hold every profile'),
  unreadable: maybeWhole.describe('how many things could not be read, and count as held'),
});
