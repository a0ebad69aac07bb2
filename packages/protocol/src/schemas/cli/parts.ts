/**
 * What occurs in several documents that `fleet` prints with `--json`.
 */
import * as z from 'zod';
import { maybeText, maybeWhole, scopeKind, text, texts, truth, whole } from '../values.ts';

export const passers = z.strictObject({
  user_ids: texts.describe('exact ids'),
  profiles: texts.nullable().describe('the only profiles on which they pass; null: on every one'),
});
export const maybePassers = passers.nullable();

/** null only where no root was found. */
export const found = {
  root: text.describe('real path of the fleet’s root'),
  root_source: text.describe(
    'how it was found: `--root`, `FLEET_ROOT`, `HERMES_HOME`, `~/.hermes` or `~/.fleet`',
  ),
};
export const maybeFound = {
  root: found.root.nullable(),
  root_source: found.root_source.nullable(),
};

export const skipped = texts.describe(
  'profiles named with `-p` that do not exist, accepted by `--allow-missing`',
);

export const actor = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe('who did it, for people: `user`, `host`, `pid`, `via`');

export const hold = z.strictObject({
  id: text.describe('fresh on every arm; `anon-…` where the file gives none'),
  holder: maybeText.describe('who may lift it by default; null: nobody signed it'),
  reason: maybeText,
  engaged_at: maybeText.describe('when it was first armed, as it stands in the file'),
  expires_at: maybeText.describe('its deadline as it stands in the file, which may be nonsense'),
  seconds_left: maybeWhole.describe('seconds until the deadline; null: it never expires'),
  allow: maybePassers.describe('whom this hold lets through; null: nobody'),
  actor: actor.describe('who placed it, for people: `user`, `host`, `pid`, `via`'),
  unreadable: maybeText.describe(
    'an errno code or a word, where the file or this entry could not be read; `empty` is an empty file',
  ),
});
export const holdsAfter = z.array(hold).describe('everything that stands in the scope afterwards');

export const scope = z.strictObject({
  kind: scopeKind,
  profile: maybeText.describe('name, for a profile’s scope'),
  sentinel: text.describe('path of its `ESTOP`'),
});

const state = z.enum(['paused', 'free']);

export const scopeState = z.strictObject({
  ...scope.shape,
  state: state.describe('what could not be read is `paused`'),
  holds: z.array(hold).describe('what stands there; empty where free'),
  generation: maybeText.describe('identity of the written body, for `--if-generation`'),
  may_pass: maybePassers.describe('who passes all of them; null as well where free'),
  unreadable: maybeText.describe(
    'why what holds there is no readable body: a word (`not-json`, `utf-16`, `not-utf8`, `too-many-holds`, `entry`) or an errno code. Where it could not even be looked at, the exit status is 3',
  ),
  expired: truth.describe(
    'an expired sentinel lies there; `paused` with it means that this user may not remove it',
  ),
  under_way: truth.describe('an operation on it was under way, or its owner died'),
});

/** Of a profile, or of the root. */
export const chain = {
  state: state.describe('of the whole chain: the profile or the root, and what is above it'),
  held_by: z.array(scopeKind).describe('the kinds of scope that hold it, nearest first'),
  may_pass: maybePassers.describe('who passes every hold of the chain; null as well where free'),
};

export const liftCommand = maybeText.describe(
  'a shell command that lifts it; null: no command of this host does',
);

export const notListed = maybeText.describe(
  'errno: which profiles there are could not be read; null: they were',
);

export const rejected = z
  .array(z.strictObject({ name: text, why: text }))
  .describe('folders under `profiles/` that are no profiles');

export const watcher = z.strictObject({
  reached: truth.describe(
    'it answered within a second, and of `status --watch` after the start within three. `assert` asks it for `acknowledged` alone, and takes one that was started less than 6 s ago for one that did not answer',
  ),
  why: maybeText.describe('why it did not answer, in words, which may change; null: it did'),
  epoch: maybeText.describe('name of its run; null: it did not answer'),
});

export const gateway = z.strictObject({
  profile: text,
  instance: text.describe('its name for this run of its process'),
  pid: whole.describe('as it says, in its own container perhaps'),
  software: text.describe('as it says'),
  link: z
    .enum(['connected', 'acknowledged', 'stale', 'gone'])
    .describe(
      '`acknowledged`: the newest state of all that it serves. `stale`: not heard of for a while',
    ),
  standing: z
    .enum(['acknowledged', 'silent', 'stale', 'gone', 'unknown'])
    .describe(
      'of this profile and what is asked about, as the watcher judges; `unknown`: an older watcher does not say. Nobody has acknowledged what the watcher has not seen',
    ),
  acknowledged: maybeWhole.describe('the newest revision that it acknowledged; null: none'),
  in_flight: whole.describe(
    'work in hand when it was last heard: what is acknowledged is that new work is refused',
  ),
});

/** In documents that say who has acknowledged. */
export const watched = {
  watcher,
  outsiders: z
    .array(gateway)
    .nullable()
    .describe(
      'gateways that are connected and serve a name which is no profile of this fleet, one entry for each such name: what holds the root binds them too. null: not known, or only some profiles are meant',
    ),
  unserved: texts
    .nullable()
    .describe(
      'profiles of those meant to which no gateway is connected, expected or not: no count of acknowledgements is about them; null: not known',
    ),
};

/** Of each profile in such a document. */
export const account = {
  gateways: z
    .array(gateway)
    .nullable()
    .describe(
      'each gateway that serves the profile, and those that the watcher remembers as gone; null: not known, since no watcher answered or, with `--watch`, it was asked before the profile was there; or the root is meant',
    ),
  gateway_absent: truth
    .nullable()
    .describe(
      'none is connected, and its `profile.yaml` says that one is expected, or cannot be read; null: not known',
    ),
  revision: maybeWhole.describe(
    'the watcher’s number of the state that the disk says now; null: not known, or the watcher has not seen it yet, and then nobody has acknowledged it',
  ),
};

/** In documents about profiles: what the registers on disk say. */
export const workInHand = z
  .strictObject({
    count: whole.describe('pieces of work in hand'),
    unproven: whole.describe('of these, the ones of which nobody here can tell whether they run'),
    wedged: whole.describe(
      'of these, the ones without progress for longer than their own limit allows',
    ),
    complete: truth.describe(
      '`false`: part of the register could not be read, so there may be more',
    ),
    oldest: z
      .strictObject({
        door: maybeText,
        id: maybeText,
        since: maybeText,
        progress_at: maybeText.describe('when it last made progress; null: not known'),
        stall_ms: maybeWhole.describe(
          'how long it may go without progress, by its author; null: no limit',
        ),
        wedged: truth,
        conversation: maybeText.describe('where its people are told; null: not known'),
        instance: maybeText,
        host: maybeText,
        pid: maybeWhole,
        fate: z.enum(['running', 'unproven']),
      })
      .nullable()
      .describe('the one that began first'),
  })
  .describe('what its gateways have in hand by the register in its home, which needs no watcher');
