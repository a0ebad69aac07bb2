/**
 * `docs/json.md`, made from the schemas of what `fleet` prints with `--json`.
 * Writing the file is `scripts/json-page.mjs`.
 */
import * as z from 'zod';
import { envelope } from '../events.ts';
import { drain, extend, pause, resume, resumeStaged, wait } from './changing.ts';
import { drained, profileDrain } from './drain.ts';
import { gateway, hold, passers, scope, scopeState, watcher } from './parts.ts';
import { assertion, explain, gate, profiles, status } from './reading.ts';
import { completion, doctor, gapLine, history, init, refused } from './records.ts';
import { restart } from './restart.ts';

/** What has a section of its own, to which tables link: schema, word, heading, more. */
const PARTS: readonly (readonly [z.ZodObject, string, string, string?])[] = [
  [hold, 'hold', 'A hold'],
  [passers, 'passers', 'Passers'],
  [scope, 'scope', 'A scope'],
  [scopeState, 'scope with its state', 'A scope with its state'],
  [
    watcher,
    'watcher',
    'The watcher',
    'Which gateways there are, and what they have acknowledged, is known by the watcher alone.',
  ],
  [gateway, 'gateway', 'A gateway of a profile'],
  [wait, 'wait', 'What waiting came to'],
  [drained, 'drain', 'What draining came to'],
  [profileDrain, 'profile that is drained', 'A profile that is drained'],
];

const INTRODUCTION = `<!-- Made from packages/protocol/src/schemas/cli/ by scripts/json-page.mjs -->

# What \`--json\` prints

With \`--json\` a verb prints one JSON document on stdout and nothing else. The document's first key is \`schema\`; a document of another shape will have another name there. Keys are never left out: what is not there is \`null\` or an empty list. New keys may be added to a schema; none is renamed, removed or given another meaning.

Usage errors (exit status 2) print no document. What went wrong is always on stderr too, in words. Text that came from files (reasons, holders, ids) is given exactly as it stands; characters that a terminal would not show as themselves are written as \`\\uXXXX\`.

Exit statuses are in \`fleet --help\`. A document that could not be written to stdout, for another reason than a reader that went away, turns status 0 into 3.`;

/** Documents in the order of the page, with what their tables cannot say. */
const DOCUMENTS: readonly (readonly [z.ZodObject, string?])[] = [
  [
    status,
    'With `--watch`, there is one such document on each line, perhaps after spaces (which is how it is noticed that a reader has gone), for the state at the start and for each new one: anything but `seconds_left` and `in_flight` has changed. Gateways are in it as the watcher says, which is asked again when its events, or the disk, give a reason to, and every few seconds; that it is gone, or back, is a new state (`watcher`). A hold that the watcher has not seen yet is there at once, with `revision` null, and so is the end of one; who has acknowledged it follows. It ends with status 0 when it is interrupted, and with that of the last state when its reader goes away.',
  ],
  [pause],
  [drain],
  [resume],
  [
    resumeStaged,
    'The answer of `fleet resume --staged`. It comes at the end; what happens meanwhile is told on stderr.',
  ],
  [
    restart,
    'The answer of `fleet restart`. It comes at the end; what happens meanwhile is told on stderr.',
  ],
  [extend],
  [explain],
  [assertion],
  [
    gate,
    'Only where `fleet gate` has no command: with one, stdout is the command’s, and `--json` is refused. `fleet window` prints no document.',
  ],
  [history],
  [
    refused,
    'Of `fleet history --refused`: what holds kept back, from the receipts that gateways leave in `<home>/.fleet/`. A gateway keeps the newest 25,000 or so of a profile; one that writes no receipts leaves none.',
  ],
  [doctor],
  [profiles],
  [init],
  [completion],
];

const WATCHER_ONCE = `## \`fleet watcher --once\`

\`--json\` or not, it prints \`fleet/state/v1\`, which \`/openapi.json\` of a running watcher describes. Nobody watches then: \`epoch\`, \`revision\` and \`gateways\` are null. Without \`--once\`, \`--json\` is refused: a watcher's log is JSON lines on stderr.`;

const EVENTS = `## \`fleet events --json\`

Lines instead of one document, and no \`schema\`: each line is a [CloudEvents](https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/formats/json-format.md) 1.0 envelope as the watcher has it, until the command is interrupted. \`id\` is what \`--since\` takes; a later watcher may have other values of \`type\`; \`data\` is, by type, as [events.md](events.md) has it.`;

const GAP =
  'Where events are missing, or may be, there is one line that is no event: it has no `specversion`, and only it has this `type`. After it, read what stands (`fleet status --json`): what led there is not known.';

export function jsonPage(): string {
  const { missed: _webhooksOnly, ...attributes } = envelope.shape;
  const blocks = [
    INTRODUCTION,
    ...PARTS.flatMap(([part, , heading, more]) => [
      `## ${heading}`,
      ...(more === undefined ? [] : [more]),
      ...tables(part.shape),
    ]),
    ...DOCUMENTS.flatMap(([document, more]) => {
      const { schema } = document.shape;
      const [name] = schema instanceof z.ZodLiteral ? schema.values : [];
      return [`## \`${name}\``, ...(more === undefined ? [] : [more]), ...tables(document.shape)];
    }),
    WATCHER_ONCE,
    EVENTS,
    ...tables(attributes),
    GAP,
    ...tables(gapLine.shape),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** A table of these keys, and one for each of them whose value has keys without a section. */
function tables(shape: z.core.$ZodLooseShape): string[] {
  const keys = Object.entries(shape) as [string, z.ZodType][];
  const rows = keys.map(
    ([key, schema]) => `| \`${key}\` | ${typeOf(schema)} | ${schema.description ?? ''} |`,
  );
  const below = keys.flatMap(([key, schema]) => {
    const { inner, isList } = unwrapped(schema);
    if (!(inner instanceof z.ZodObject) || partOf(inner) !== undefined) return [];
    return [isList ? `Each of \`${key}\`:` : `\`${key}\`:`, ...tables(inner.shape)];
  });
  return [['| key | type | meaning |', '|---|---|---|', ...rows].join('\n'), ...below];
}

function unwrapped(schema: z.ZodType, isList = false): { inner: z.ZodType; isList: boolean } {
  if (schema instanceof z.ZodNullable) return unwrapped(schema.unwrap() as z.ZodType, isList);
  if (schema instanceof z.ZodArray) return unwrapped(schema.element as z.ZodType, true);
  return { inner: schema, isList };
}

/** A described copy of a part is that part. */
function partOf(schema: z.core.$ZodType): (typeof PARTS)[number] | undefined {
  const { parent } = schema._zod;
  return (
    PARTS.find(([part]) => part === schema) ?? (parent === undefined ? undefined : partOf(parent))
  );
}

function typeOf(schema: z.ZodType): string {
  const part = partOf(schema);
  if (part !== undefined) {
    const [, word, heading] = part;
    return `[${word}](#${heading.toLowerCase().replaceAll(' ', '-')})`;
  }
  if (schema instanceof z.ZodNullable) return `${typeOf(schema.unwrap() as z.ZodType)} or null`;
  if (schema instanceof z.ZodArray) {
    return `list of ${typeOf(schema.element as z.ZodType).replace(/^(text|object)/, '$1s')}`;
  }
  if (schema instanceof z.ZodEnum) return schema.options.map((word) => `\`${word}\``).join(', ');
  if (schema instanceof z.ZodLiteral) return [...schema.values].map((word) => `\`${word}\``).join();
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return 'object';
  return 'text';
}
