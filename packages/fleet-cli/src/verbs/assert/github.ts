/**
 * The output of `fleet assert --format github`: an annotation for each failure, in the format of GitHub
 * workflow logs.
 */

import { profileName } from '../../fleet/hold-text.ts';
import { unlistedText } from '../../fleet/unread-text.ts';
import type { AssertFacts, Judgement } from './judgement.ts';
import {
  claimText,
  foundText,
  labelsUnknownText,
  notKnownText,
  outsideFailureText,
  waitedText,
} from './text.ts';

/** Empty if everything is as claimed: GitHub shows at most ten annotations of a step. */
export function githubText(facts: AssertFacts): string {
  const { assertion, judgements, outside, unknownProfiles, session } = facts;
  const title = `fleet assert ${claimText(assertion)}`;
  const lines: string[] = [];
  if (unknownProfiles !== null) {
    const why = unlistedText(unknownProfiles);
    lines.push(annotation(title, why));
  }
  for (const judgement of judgements) {
    if (judgement.verdict === 'pass' || judgement.verdict === 'none') continue;
    lines.push(annotation(title, failureText(facts, judgement)));
  }
  for (const one of outside) {
    if (one.verdict !== 'pass') lines.push(annotation(title, outsideFailureText(facts, one)));
  }
  for (const one of session.selection.unreadLabels)
    lines.push(annotation(title, labelsUnknownText(one)));
  return lines.join('');
}

/** What is wrong with a profile, in one sentence. */
export function failureText(facts: AssertFacts, judgement: Judgement): string {
  if (judgement.verdict === 'unreadable') return notKnownText(facts, judgement);
  const name = profileName(judgement.profileState.profile);
  const claim = `${claimText(facts.assertion)}${waitedText(facts)}`;
  return `${name} is not ${claim}: ${foundText(facts, judgement)}`;
}

const annotation = (title: string, message: string): string =>
  `::error title=${escapeProperty(title)}::${escapeMessage(message)}\n`;

/**
 * Escapes line breaks, because each line is a command. `##[…]` is an older form of command that GitHub
 * recognises anywhere in a line.
 */
const escapeMessage = (text: string): string =>
  text
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A')
    .replaceAll('##', '#\\u{23}');

const escapeProperty = (text: string): string =>
  escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
