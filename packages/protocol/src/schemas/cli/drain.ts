/**
 * What draining came to, in `fleet drain`, `pause --drain` and `assert drained`.
 */
import * as z from 'zod';
import { maybeText, maybeWhole, text, texts, truth, whole } from '../values.ts';
import { gateway, watcher } from './parts.ts';

export const profileDrain = z.strictObject({
  profile: text,
  quiet: truth.describe(
    'its register is complete and has nothing in hand, and its connected gateways report nothing more; what `--exclude-wedged` excludes is not counted',
  ),
  served: truth.describe('a gateway that serves it is connected; otherwise only the register says'),
  in_hand: maybeWhole.describe(
    'pieces of work by the register in its home; null: not all of it could be read, so there may be more than `work` has',
  ),
  wedged: whole.describe(
    'of these, the ones without progress for longer than their own limit allows',
  ),
  reported_only: whole.describe(
    'pieces of work that its gateways report and that the register does not have',
  ),
  doors: z
    .array(
      z.strictObject({
        door: maybeText.describe('null: it cannot be read'),
        in_hand: whole,
      }),
    )
    .describe('by name'),
  work: z
    .array(
      z.strictObject({
        door: maybeText,
        id: maybeText,
        principal: maybeText,
        conversation: maybeText.describe('where its people are told; null: not known'),
        since: maybeText.describe('as on disk, which may be invalid'),
        progress_at: maybeText.describe('when it last made progress; null: not known'),
        stall_ms: maybeWhole.describe(
          'how long it may go without progress, by its author; null: no limit, so it is never wedged',
        ),
        wedged: truth,
        fate: z
          .enum(['running', 'unproven'])
          .describe('`unproven`: its process cannot be seen from here, and it counts as running'),
        owner: maybeText,
        instance: maybeText.describe('of its gateway'),
        host: maybeText,
        pid: maybeWhole.describe('of the process that does the work'),
      }),
    )
    .max(50)
    .describe('the oldest first'),
  unreadable: z
    .array(z.strictObject({ path: text, why: text }))
    .describe('parts of the register that could not be read, which count as work'),
});

export const drained = z.strictObject({
  outcome: z
    .enum([
      'drained',
      'drained-but-wedged',
      'work-left',
      'silent',
      'nobody',
      'no-watcher',
      'not-shown',
      'undone',
      'interrupted',
    ])
    .describe(
      '`drained-but-wedged`: only wedged work is in hand, which was excluded. `work-left`: all have acknowledged. `silent`: some gateway has not, was not heard for a while, or may be missing. `nobody`: no gateway is connected or expected, so only the registers say anything. `not-shown`: the watcher did not see the state on disk. `undone`: something is not held any more',
    ),
  exclude_wedged: truth,
  waited_ms: whole.describe('milliseconds spent in waiting'),
  timeout_ms: whole.describe('how long it would have waited'),
  watcher: watcher.describe('of the last question'),
  undone: texts.describe('what is not held, in words, which may change'),
  profiles: z
    .array(profileDrain)
    .describe('the selected profiles, or all; the root’s own is `default`'),
  gateways: z
    .array(gateway)
    .describe('gateways that serve one of them, one entry for each profile that it serves'),
  silent: z
    .array(gateway)
    .describe(
      'of these, and of those that went away meanwhile: who has not acknowledged, or was not heard for a while since',
    ),
  absent: texts.describe('profiles without a gateway although one is expected, or may well be'),
  unserved: texts.describe(
    'profiles without a gateway, and none is expected: only their registers say anything',
  ),
  unshown: texts.describe('profiles whose state on disk the watcher has not seen'),
  outsiders: z
    .array(gateway)
    .describe('gateways that serve a name which is no profile of this fleet'),
  profiles_unknown: maybeText.describe('why it is not known which profiles there are'),
  gateways_unknown: truth.describe(
    'no watcher could be asked, it had just been started, or a gateway went away a moment ago and may come back: there may be gateways that are missing here',
  ),
});
