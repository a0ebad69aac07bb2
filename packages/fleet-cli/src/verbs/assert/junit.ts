/**
 * The output of `fleet assert --format junit`: each judgement as a test case, in the XML format of test reports
 * that CI systems show.
 */

import { profileName } from '../../fleet/hold-text.ts';
import { unlistedText } from '../../fleet/unread-text.ts';
import { failureText } from './github.ts';
import type { AssertFacts, Judgement, Outside } from './judgement.ts';
import {
  causeOf,
  claimText,
  foundText,
  labelsUnknownText,
  OUTSIDE,
  outsideFailureText,
  outsideText,
} from './text.ts';

export function junitText(facts: AssertFacts): string {
  const { session, assertion, judgements, outside, unknownProfiles, waitedMs } = facts;
  const name = `fleet assert ${claimText(assertion)}`;
  const cases = [
    ...judgements.map((judgement) => caseOf(facts, judgement)),
    ...outside.map((one) => outsideCaseOf(facts, one)),
  ];
  if (unknownProfiles !== null) {
    const why = unlistedText(unknownProfiles);
    cases.push(
      testCase(facts, '(profiles)', element('error', { message: why, type: 'unreadable' })),
    );
  }
  for (const one of session.selection.unreadLabels) {
    const message = labelsUnknownText(one);
    cases.push(testCase(facts, one.name, element('error', { message, type: 'labels-unknown' })));
  }
  for (const missing of session.selection.missing) {
    const skipped = element('skipped', { message: 'there is no such profile' });
    cases.push(testCase(facts, missing, skipped));
  }
  const count = (verdict: Judgement['verdict']): number =>
    [...judgements, ...outside].filter((one) => one.verdict === verdict).length;
  const numbers = {
    tests: String(cases.length),
    failures: String(count('fail')),
    errors: String(
      count('unreadable') +
        (unknownProfiles === null ? 0 : 1) +
        session.selection.unreadLabels.length,
    ),
    skipped: String(session.selection.missing.length + count('none')),
    time: ((waitedMs ?? 0) / 1000).toFixed(3),
  };
  const timestamp = new Date(session.nowMs).toISOString().replace(/\..*$/, '');
  const suite = element('testsuite', { name, ...numbers, timestamp }, cases);
  const suites = element('testsuites', { name: 'fleet', ...numbers }, [suite]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${suites}\n`;
}

function caseOf(facts: AssertFacts, judgement: Judgement): string {
  const { profileState, verdict } = judgement;
  const name = profileName(profileState.profile);
  if (verdict === 'pass') {
    const found = escapeText(foundText(facts, judgement));
    return testCase(facts, name, element('system-out', {}, [found]));
  }
  if (verdict === 'none') {
    return testCase(facts, name, element('skipped', { message: foundText(facts, judgement) }));
  }
  const message = failureText(facts, judgement);
  return verdict === 'fail'
    ? testCase(facts, name, element('failure', { message, type: 'not-as-claimed' }))
    : testCase(facts, name, element('error', { message, type: causeOf(facts, judgement) }));
}

function outsideCaseOf(facts: AssertFacts, outside: Outside): string {
  const found = outsideText(outside);
  const message = outsideFailureText(facts, outside);
  switch (outside.verdict) {
    case 'pass':
      return testCase(facts, OUTSIDE, element('system-out', {}, [escapeText(found)]));
    case 'fail':
      return testCase(facts, OUTSIDE, element('failure', { message, type: 'not-as-claimed' }));
    case 'unreadable':
      return testCase(facts, OUTSIDE, element('error', { message, type: found }));
  }
}

const testCase = ({ assertion }: AssertFacts, name: string, inner: string): string =>
  element('testcase', { classname: `fleet.assert.${assertion.claim}`, name, time: '0' }, [inner]);

function element(
  name: string,
  attributes: { readonly [name: string]: string },
  inner: readonly string[] = [],
): string {
  const head = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${escapeText(value)}"`)
    .join('');
  return inner.length === 0
    ? `<${name}${head}/>`
    : `<${name}${head}>${inner.join(name === 'system-out' ? '' : '\n')}</${name}>`;
}

/** Characters that XML cannot contain, not even escaped. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};

const escapeText = (text: string): string =>
  text.replace(FORBIDDEN, '').replace(/[&<>"']/g, (found) => ENTITIES[found] ?? '');
