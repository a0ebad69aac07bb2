/**
 * What `fleet assert --format github` prints: one annotation for each judgement, as the log of a
 * GitHub workflow takes them.
 */
import type { AssertFacts, Judgement } from '../assert/judgement.ts';
import {
  claimText,
  foundText,
  OUTSIDE,
  outsideFailureText,
  outsideText,
  unjudgedText,
  waitedText,
} from './assert.ts';
import { laneName } from './holds.ts';
import { unlistedText } from './unread.ts';

type Level = 'error' | 'notice';

/** What failed comes first: of each level, a step shows no more than ten. */
export function githubText(facts: AssertFacts): string {
  const { assertion, judgements, outside, unknownProfiles, session } = facts;
  const title = `fleet assert ${claimText(assertion)}`;
  const lines: string[] = [];
  if (unknownProfiles !== null) {
    const why = unlistedText(unknownProfiles);
    lines.push(annotation('error', title, why));
  }
  const isPassing = ({ verdict }: Judgement) => verdict === 'pass' || verdict === 'none';
  const failing = judgements.filter((judgement) => !isPassing(judgement));
  const passing = judgements.filter(isPassing);
  for (const judgement of failing) {
    lines.push(annotation('error', title, failureText(facts, judgement)));
  }
  for (const one of outside) {
    if (one.verdict !== 'pass')
      lines.push(annotation('error', title, outsideFailureText(facts, one)));
  }
  for (const judgement of passing) {
    const found = `${laneName(judgement.lane.profile)}: ${foundText(facts, judgement)}`;
    lines.push(annotation('notice', title, found));
  }
  for (const one of outside) {
    if (one.verdict === 'pass') {
      lines.push(annotation('notice', title, `${OUTSIDE}: ${outsideText(one)}`));
    }
  }
  for (const name of session.selection.missing) {
    lines.push(annotation('notice', title, `skipped ${name}: there is no such profile`));
  }
  return lines.join('');
}

/** What is wrong with a lane, in one sentence. */
export function failureText(facts: AssertFacts, judgement: Judgement): string {
  if (judgement.verdict === 'unreadable') return unjudgedText(facts, judgement);
  const name = laneName(judgement.lane.profile);
  const claim = `${claimText(facts.assertion)}${waitedText(facts)}`;
  return `${name} is not ${claim}: ${foundText(facts, judgement)}`;
}

const annotation = (level: Level, title: string, message: string): string =>
  `::${level} title=${escapeProperty(title)}::${escapeMessage(message)}\n`;

/**
 * A line is one command, and what it carries cannot begin another. `##[…]` is an older way to write
 * a command, which is looked for anywhere in a line.
 */
const escapeMessage = (text: string): string =>
  text
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll('##', '#\\u{23}');

const escapeProperty = (text: string): string =>
  escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
