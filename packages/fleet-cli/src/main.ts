/**
 * Runs one call of `fleet`: parses the command line, runs the verb, writes stdout and stderr, and returns
 * the exit status. What a verb does is in `verbs/`; only `bin.ts` ends the process.
 */
import { FleetError } from '@fleet-estop/sentinel-core';
import { type Command, CommanderError } from 'commander';
import type { Answer } from './cli/answer.ts';
import { type Delivery, deliver } from './cli/deliver.ts';
import { EXIT, exitOf } from './cli/exit-codes.ts';
import { refuseMistakenValues, splitWords } from './cli/words.ts';
import { splitWrapped } from './cli/wrapped-words.ts';
import { nameSelected } from './fleet/name-selected.ts';
import type { GlobalOptions } from './fleet/session.ts';
import { commandOf, overview, usageErrorOf } from './program.ts';
import { viewOf } from './text/view.ts';
import { visible, visibleJson } from './text/visible.ts';
import { entryOf, VERBS } from './verb-table.ts';

/** How the process ends. */
type EndResult = Pick<Answer, 'exit' | 'endsBy'>;

export async function main(argv: readonly string[]): Promise<EndResult> {
  if (argv[0] === '__complete') return suggest(argv.slice(1));
  let name: string | undefined;
  try {
    const words = splitWords(argv);
    const asksHelp = words.verb === 'help';
    const { verb, rest } = asksHelp ? splitWords(words.rest) : words;
    if (verb === undefined) return withoutVerb(asksHelp ? ['--help'] : rest);
    entryOf(verb);
    name = verb;
    return await runVerb(name, asksHelp ? ['--help'] : rest);
  } catch (error) {
    return reportError(error, name ?? WRITING_VERBS.find((verb) => argv.includes(verb)), argv);
  }
}

/** Verbs whose failure must be named (`NOT paused`), also where the command line could not be parsed. */
const WRITING_VERBS = ['pause', 'drain', 'resume', 'extend', 'window', 'gate'];

async function runVerb(name: string, rest: readonly string[]): Promise<EndResult> {
  const entry = entryOf(name);
  const verb = await entry.load();
  let help = '';
  const command = commandOf(name, verb, (text) => {
    help += text;
  });
  const { own, wrapped } = entry.wraps ? splitWrapped(rest) : { own: rest, wrapped: null };
  refuseMistakenValues(own, command.options);
  if (!parse(command, own)) return printed(help);

  const { unreadLabels: partial } = entry;
  const unreadLabels = verb.namesItself
    ? []
    : await nameSelected(command, { allowsPartial: partial !== undefined });
  const nowMs = Date.now();
  const { json, quiet, color = 'auto' } = command.opts<GlobalOptions>();
  const answer = await verb.run(command, nowMs, wrapped);
  const text =
    answer.text?.() ??
    (json
      ? `${visibleJson(answer.document())}\n`
      : quiet
        ? lines(answer.quietLines?.() ?? [])
        : lines(answer.lines(viewOf(color, nowMs))));
  const delivery = deliver(1, text);
  deliver(2, lines(answer.notices));
  const needed = json === true || answer.text !== undefined || entry.answersInText;
  // Some profiles could not be selected, so even a good answer covers only a part of what was asked for.
  const isWhole = unreadLabels.length === 0 || partial === undefined || answer.exit !== EXIT.done;
  return exitAfter(isWhole ? answer : { ...answer, exit: partial }, delivery, needed);
}

/** false: the call only asks for help. */
function parse(command: Command, rest: readonly string[]): boolean {
  try {
    command.parse([...rest], { from: 'user' });
    return true;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    const mistake = usageErrorOf(error, command);
    if (mistake === null) return false;
    throw mistake;
  }
}

/** The verb's work stands. But a success whose answer could not be written is not reported as success. */
function exitAfter({ exit, endsBy }: EndResult, delivery: Delivery, needed: boolean): EndResult {
  if (delivery === 'whole' || delivery === 'reader-gone') {
    return endsBy === undefined ? { exit } : { exit, endsBy };
  }
  deliver(2, `the answer could not be written to stdout: ${delivery}\n`);
  return { exit: exit === EXIT.done && needed ? EXIT.unreadable : exit };
}

/**
 * Called by the completion scripts: on any error it suggests nothing, since an error would disturb the
 * command line.
 */
async function suggest(words: readonly string[]): Promise<EndResult> {
  try {
    const { complete } = await import('./completion/complete.ts');
    deliver(1, await complete(words));
  } catch {
    // No fleet, or no such verb: there is nothing to suggest.
  }
  return { exit: EXIT.done };
}

async function withoutVerb(rest: readonly string[]): Promise<EndResult> {
  if (rest.some((word) => word === '--version' || word === '-V')) {
    const { version } = await import('./cli/package.ts');
    return printed(`${version()}\n`);
  }
  if (rest.some((word) => word === '--help' || word === '-h')) return printed(overview());
  deliver(2, `no verb was given\n\n${overview()}`);
  return { exit: EXIT.usage };
}

const printed = (text: string): EndResult => exitAfter({ exit: EXIT.done }, deliver(1, text), true);

/** Writes to stderr first that nothing was done (`NOT paused`), then why. */
function reportError(error: unknown, name: string | undefined, argv: readonly string[]): EndResult {
  const entry = name === undefined ? undefined : VERBS[name];
  const failure = entry?.failure ?? EXIT.notAsAsked;
  if (error instanceof FleetError) {
    const undone = entry?.undone ?? 'nothing was changed';
    deliver(2, lines([`${undone}: ${visible(error.message)}`, `  ${visible(error.hint)}`]));
  } else {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    deliver(
      2,
      lines([`NOT confirmed: ${name ?? 'fleet'} failed`, ...text.split('\n').map(visible)]),
    );
  }
  const wraps = entry?.wraps === 'always' || (entry?.wraps === 'perhaps' && argv.includes('--'));
  return { exit: wraps ? EXIT.fleetFailed : exitOf(error, failure) };
}

const lines = (texts: readonly string[]): string => texts.map((text) => `${text}\n`).join('');
