/**
 * `fleet assert`: exits 0 only if the root and every selected profile are as claimed. State that could
 * not be read is never a pass.
 * Judging is `judge-holds.ts`, `acknowledged.ts` and `drained.ts`; the output is `text.ts`, and for CI systems
 * `github.ts` and `junit.ts`.
 */
import { Argument, type Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { readDurationMs } from '../../cli/duration.ts';
import { EXIT, type ExitCode, worstOf } from '../../cli/exit-codes.ts';
import { valued } from '../../cli/flags.ts';
import { usageError } from '../../cli/values.ts';
import { addSelection, type Verb } from '../../cli/verb.ts';
import type { SelectionOptions } from '../../fleet/selection.ts';
import type { GlobalOptions } from '../../fleet/session.ts';
import { visibleJson } from '../../text/visible.ts';
import { githubText } from './github.ts';
import { judgeHolds, judgeHoldsWithin } from './judge-holds.ts';
import type { AssertFacts, Assertion } from './judgement.ts';
import { junitText } from './junit.ts';
import { assertDocument, assertLines, assertNotices } from './text.ts';

const CLAIMS = ['paused', 'running', 'acknowledged', 'drained', 'held-by', 'free-of'] as const;
const FORMATS = ['text', 'json', 'github', 'junit'] as const;
type Format = (typeof FORMATS)[number];

interface AssertOptions extends GlobalOptions, SelectionOptions {
  readonly within?: string;
  readonly format?: Format;
}

export const assert: Verb = {
  description:
    'Exit 0 only if the root and every profile, or every profile named with -p, is as claimed. `running`: nothing holds it. `acknowledged`: every expected gateway has acknowledged its current state, which needs a watcher. `drained`: that, and it is paused, and nothing is in hand.',
  examples: [
    'fleet assert running -p lane-a',
    'fleet assert paused --within 30s',
    'fleet assert held-by deploy -p lane-a -p lane-b',
    'fleet assert acknowledged -l tier=batch --within 10s',
    'fleet assert drained -p lane-a --within 5m',
    'fleet assert free-of deploy --format junit > fleet.xml',
  ],
  configure: (command) => {
    command
      .addArgument(new Argument('<claim>', 'what is claimed').choices(CLAIMS))
      .addArgument(new Argument('[holder]', 'of held-by and free-of'));
    addSelection(command, 'judge this profile (repeatable)');
    command
      .addOption(
        valued(
          '--within <duration>',
          'wait this long for it to become true, and with --allow-missing for the profile to come',
        ),
      )
      .addOption(
        valued('--format <format>', `${FORMATS.join(', ')} (default: text)`, {
          read: readFormat,
          repeat: 'same',
        }),
      );
  },
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<AssertOptions>();
  const assertion = readAssertion(command.args);
  const format = formatOf(options);
  const withinMs = options.within === undefined ? null : readDurationMs('--within', options.within);
  const facts = await factsOf(assertion, options, nowMs, withinMs);
  const text = format === 'text' ? null : TEXTS[format];
  return {
    exit: exitOfAssert(facts),
    document: () => assertDocument(facts),
    lines: (view) => assertLines(facts, view),
    notices: assertNotices(facts),
    ...(text === null ? {} : { text: () => text(facts) }),
  };
}

const TEXTS: Readonly<Record<Exclude<Format, 'text'>, (facts: AssertFacts) => string>> = {
  json: (facts) => `${visibleJson(assertDocument(facts))}\n`,
  github: githubText,
  junit: junitText,
};

async function factsOf(
  assertion: Assertion,
  options: AssertOptions,
  nowMs: number,
  withinMs: number | null,
): Promise<AssertFacts> {
  if (assertion.claim === 'acknowledged') {
    const { judgeAcknowledged } = await import('./acknowledged.ts');
    return judgeAcknowledged(options, nowMs, withinMs);
  }
  if (assertion.claim === 'drained') {
    const { judgeDrained } = await import('./drained.ts');
    return judgeDrained(options, nowMs, withinMs);
  }
  return withinMs === null
    ? judgeHolds(assertion, options, nowMs)
    : judgeHoldsWithin(assertion, options, withinMs);
}

function exitOfAssert(facts: AssertFacts): ExitCode {
  const { session, judgements, outside, unknownProfiles, holds, waitedMs, watched } = facts;
  const codes = [...judgements, ...outside].map(({ verdict }) => EXIT_OF[verdict]);
  const isKnown =
    unknownProfiles === null &&
    session.selection.unreadLabels.length === 0 &&
    watched?.reached !== false;
  const exit = worstOf([
    ...codes,
    holds ? EXIT.done : EXIT.notAsAsked,
    isKnown ? EXIT.done : EXIT.unreadable,
  ]);
  // Unreadable state outranks the timeout, because the claim may have been true.
  return exit === EXIT.notAsAsked && waitedMs !== null ? EXIT.timedOut : exit;
}

const EXIT_OF = {
  pass: EXIT.done,
  none: EXIT.done,
  fail: EXIT.notAsAsked,
  unreadable: EXIT.unreadable,
} as const;

function readFormat(text: string): string {
  if (FORMATS.some((format) => format === text)) return text;
  throw usageError(`\`--format ${text}\` is not known`, `use one of ${FORMATS.join(', ')}`);
}

function formatOf({ format, json }: AssertOptions): Format {
  if (!json) return format ?? 'text';
  if (format === undefined || format === 'json') return 'json';
  throw usageError(`\`--format ${format}\` with \`--json\``, 'ask for one of them');
}

function readAssertion([claim, holder]: readonly string[]): Assertion {
  switch (claim) {
    case 'paused':
    case 'running':
    case 'acknowledged':
    case 'drained':
      if (holder === undefined) return { claim };
      throw usageError(
        `stray word \`${holder}\` after \`${claim}\``,
        `a profile is named with -p: fleet assert ${claim} -p NAME`,
      );
    case 'held-by':
    case 'free-of':
      if (holder !== undefined && holder !== '') return { claim, holder };
      throw usageError(`\`${claim}\` needs a holder`, `fleet assert ${claim} NAME`);
    default:
      throw usageError(`\`${claim}\` cannot be asserted`, `use one of ${CLAIMS.join(', ')}`);
  }
}
