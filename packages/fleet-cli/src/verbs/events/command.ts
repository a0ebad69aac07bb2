/**
 * `fleet events`: shows the events of the fleet's watcher while they happen.
 * Showing them is `show.ts`. What happened before, without a watcher, is `fleet history`.
 */

import { EVENT_TYPES } from '@fleet-estop/protocol';
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { flag, repeated, valued } from '../../cli/flags.ts';
import { nearest } from '../../cli/nearest.ts';
import { usageError } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import type { SelectionOptions } from '../../fleet/selection.ts';
import { type GlobalOptions, openSession } from '../../fleet/session.ts';
import { visible } from '../../text/visible.ts';
import { parsePosition } from '../../watcher-client/event-message.ts';
import { eventFilter } from './filter.ts';
import { showEvents } from './show.ts';

interface EventsOptions extends GlobalOptions, SelectionOptions {
  readonly type?: readonly string[];
  readonly since?: string;
  readonly recent?: string;
  readonly noWait?: true;
}

/** A watcher sends no more recent events than this. */
const MAX_RECENT = 200;

export const events: Verb = {
  description:
    'Show the events of the fleet as its watcher reports them, until interrupted. With -p, show only events that concern those profiles, which includes events of the root. With --json, print one CloudEvents envelope per line.',
  examples: [
    'fleet events',
    "fleet events -p lane-a --type 'hold.*'",
    'fleet events --json --recent 50',
  ],
  configure: (command) => {
    addSelection(command, 'only what concerns this profile (repeatable)');
    command
      .addOption(
        repeated(
          '--type <type>',
          "only events of this type; * stands for any text, as in 'hold.*'",
        ),
      )
      .addOption(
        valued('--since <id>', 'start after the event with this id', {
          read: readSince,
        }).conflicts('recent'),
      )
      .addOption(
        valued(
          '--recent <count>',
          `start with this many of the last events, at most ${MAX_RECENT}`,
          {
            read: readRecent,
          },
        ),
      )
      .addOption(flag('--no-wait', 'exit 3 if no watcher answers, instead of waiting for one'));
  },
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<EventsOptions>();
  if (options.quiet) throw usageError('`events` with `--quiet`', 'leave --quiet out');
  const types = options.type === undefined ? null : await typeFilters(options.type);
  const { root } = openSession(options, nowMs);
  // A missing profile that --allow-missing accepted may be added later.
  const profiles = options.profile === undefined ? null : new Set(options.profile);
  return showEvents(root.root, {
    json: options.json === true,
    color: options.color ?? 'auto',
    filter: eventFilter({ types, profiles }),
    profiles,
    after: options.since ?? null,
    recent: Number(options.recent ?? 0),
    waits: !options.noWait,
    headline: `root ${visible(root.root)} (${root.source})`,
  });
}

/** Refuses a type that no event has, because with a mistyped one the user would wait for ever. */
async function typeFilters(patterns: readonly string[]) {
  const fits = patterns.some((pattern) => pattern.includes('*'))
    ? (await import('@fleet-estop/settings')).fits
    : (pattern: string, type: string) => pattern === type;
  for (const pattern of patterns) {
    if (EVENT_TYPES.some((type) => fits(pattern, type))) continue;
    const near = nearest(pattern, EVENT_TYPES);
    throw usageError(
      `\`--type ${pattern}\` matches no event type`,
      near.length > 0
        ? `did you mean ${near.join(' or ')}?`
        : `the types are ${EVENT_TYPES.join(', ')}`,
    );
  }
  return patterns.map((pattern) => (type: string) => fits(pattern, type));
}

function readSince(text: string): string {
  if (parsePosition(text) !== null) return text;
  throw usageError(
    `\`--since ${text}\` is not the id of an event`,
    'take it from --json; for the last ones use --recent, for the last hours fleet history --since',
  );
}

function readRecent(text: string): string {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= MAX_RECENT) return text;
  throw usageError(`\`--recent ${text}\` is not a count`, `give a number from 1 to ${MAX_RECENT}`);
}
