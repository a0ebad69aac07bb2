/**
 * What is read from the records that gateways leave in profile homes: work in hand and refusals.
 */
import * as z from 'zod';
import {
  instant,
  maybeInstant,
  maybeText,
  maybeWhole,
  text,
  texts,
  truth,
  whole,
} from './values.ts';

const people = z
  .enum(['told', 'withheld'])
  .describe(
    'withheld: every `principal`, and every `id` and `conversation` of work, is null here, known or not. They are shown on the unix socket, and with the token.',
  );

export const fate = z
  .enum(['running', 'unproven', 'abandoned'])
  .describe(
    'unproven: its process cannot be seen from here and its gateway is silent; it counts as running. abandoned: its process is certainly gone.',
  );

const workRecord = z.strictObject({
  door: maybeText,
  id: maybeText.describe('null: unreadable, or withheld.'),
  principal: maybeText.describe('null: unknown, unreadable, or withheld.'),
  since: maybeText.describe('As on disk, which may be invalid.'),
  conversation: maybeText.describe(
    "The owner's address. null: none was given, unreadable, or withheld.",
  ),
  stall_ms: maybeWhole.describe(
    'Milliseconds that it may go without progress, by the author. null: no limit.',
  ),
  progress_at: maybeText.describe('When it last made progress. null: unknown.'),
  wedged: truth.describe('It runs, or may, and made no progress for longer than its limit.'),
  owner: maybeText,
  instance: maybeText,
  host: maybeText,
  pid: maybeWhole.describe('Of the process that does the work.'),
  fate,
});

export const work = z
  .strictObject({
    looked_at: instant,
    counts: z
      .strictObject({
        running: whole,
        unproven: whole,
        abandoned: whole,
        wedged: whole.describe('Of the running and the unproven.'),
      })
      .nullable()
      .describe('null: not all of it could be read; this does not mean none.'),
    read: whole.describe('How much was read, at least.'),
    people,
    newest: z.array(workRecord).max(50),
    unreadable: z
      .array(z.strictObject({ path: text, why: text }))
      .max(8)
      .describe('Why the counts are null.'),
  })
  .describe('Work in hand according to the register on disk, with or without a connected gateway.');

export const profileRefusals = z
  .strictObject({
    profile: text,
    refused: whole.describe('Matching receipts in what was read.'),
    doors: z.array(z.strictObject({ door: text, refused: whole })).describe('Most refusals first.'),
    other_doors: whole.describe('Refusals of doors that are not listed.'),
    cut: truth.describe('Older matching receipts are on disk and were not read.'),
    oldest_read: maybeInstant.describe('For any door; null: none was read.'),
    corrupt: whole.describe('Lines that are not receipts.'),
    unreadable: maybeText.describe('Why there may be more than was read.'),
  })
  .describe('What was found in the home of one profile.');

export const refusedWork = z.strictObject({
  at: instant,
  profile: text.describe('The profile in whose home the receipt lies.'),
  door: text,
  principal: maybeText.describe('null: not known by name, or withheld.'),
  holds: texts.describe('Ids of the holds that refused it, nearest first.'),
  pid: whole.describe('Of the gateway; 0: unknown.'),
  instance: text,
});

export const refusals = z
  .strictObject({
    schema: z.literal('fleet/refusals/v1'),
    root: text,
    looked_at: instant,
    asked: z.strictObject({
      profile: maybeText,
      door: maybeText,
      since: maybeInstant,
      limit: whole,
    }),
    complete: truth.describe(
      'Every matching receipt on disk is counted. Gateways only keep the newest ones.',
    ),
    profiles: z
      .array(profileRefusals)
      .describe('Without profiles that have nothing to report. A shared home is listed once.'),
    unread: whole.describe('Profiles that were not read because it took too long.'),
    profiles_unreadable: maybeText.describe('Why there may be unknown profiles.'),
    refused: whole,
    people,
    refusals: z.array(refusedWork).max(1_000).describe('Newest first.'),
  })
  .describe('What holds have refused, from the receipts that gateways leave.');
