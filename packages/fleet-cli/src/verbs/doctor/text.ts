/**
 * The output of `fleet doctor`: where the root was searched, what was repaired, and the findings, the worst
 * first.
 */

import { counted } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import type { Style, View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { unreadText } from '../../text/why.ts';
import type { DoctorFacts } from './facts.ts';
import type { Finding, Level } from './finding.ts';
import type { Candidate } from './root.ts';

const LEVELS: readonly Level[] = ['problem', 'warning', 'note', 'ok'];
const STYLES: Readonly<Record<Level, Style>> = {
  problem: 'red',
  warning: 'yellow',
  note: 'dim',
  ok: 'green',
};
const WIDTH = 'PROBLEM'.length;
const INDENT = ' '.repeat(WIDTH + 2);
/** The line width if stdout is not a terminal. */
const FILE_COLUMNS = 80;
const ARROW = '-> ';

export function doctorLines(facts: DoctorFacts, view: View): string[] {
  const { search, findings, repairs } = facts;
  const lines = [view.paint('bold', summary(findings)), '', 'the root was looked for in'];
  lines.push(...search.candidates.map(candidateLine));
  if (repairs !== null) {
    lines.push('', repairs.repaired.length === 0 ? 'nothing was repaired' : 'repaired');
    lines.push(...repairs.repaired.map(({ what, where }) => `  ${visible(where)}: ${what}`));
  }
  lines.push('');
  for (const level of LEVELS) {
    for (const finding of findings) {
      if (finding.level === level) lines.push(...findingLines(finding, view));
    }
  }
  return lines;
}

function summary(findings: readonly Finding[]): string {
  const count = (level: Level): number => findings.filter((one) => one.level === level).length;
  const unexamined = findings.filter((one) => one.unexamined).length;
  const parts = [counted(count('problem'), 'problem'), counted(count('warning'), 'warning')];
  if (unexamined > 0) parts.push(`${unexamined} not examined`);
  return parts.join(', ');
}

function candidateLine({ source, path, state, chosen }: Candidate): string {
  const place = path === null ? '' : visible(path);
  const remark = chosen
    ? 'THIS ONE'
    : (STATES[state] ?? `cannot be reached (${unreadText(state)})`);
  return `  ${source.padEnd(LONGEST_SOURCE)}  ${[place, remark].filter((text) => text !== '').join('  ')}`;
}

const LONGEST_SOURCE = 'HERMES_HOME'.length;
const STATES: Readonly<Record<string, string>> = {
  unset: 'not set',
  missing: 'does not exist',
  folder: 'is there, and not used',
  'not-a-folder': 'is not a folder',
};

function findingLines(finding: Finding, { paint, columns }: View): string[] {
  const { level, what, where, line, column, todo } = finding;
  const mark = (level === 'problem' ? 'PROBLEM' : level).padEnd(WIDTH);
  const room = (Number.isFinite(columns) ? columns : FILE_COLUMNS) - INDENT.length;
  const [first = '', ...rest] = wrapped(visible(what), room);
  const lines = [`${paint(STYLES[level], mark)}  ${first}`, ...rest.map((text) => INDENT + text)];
  if (where !== undefined) {
    const place = [visible(where), line, column].filter((part) => part !== undefined).join(':');
    lines.push(INDENT + place);
  }
  if (todo !== undefined) {
    const [next = '', ...more] = wrapped(visible(todo), room - ARROW.length);
    lines.push(`${INDENT}${ARROW}${next}`);
    lines.push(...more.map((text) => INDENT + ' '.repeat(ARROW.length) + text));
  }
  return lines;
}

/** Wraps between words; a longer word, such as a path, is not broken. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

export function doctorDocument({ search, findings, repairs }: DoctorFacts): {
  [key: string]: Json;
} {
  const count = (level: Level): number => findings.filter((one) => one.level === level).length;
  return {
    schema: 'fleet/doctor/v1',
    root: search.root?.root ?? null,
    root_source: search.root?.source ?? null,
    candidates: search.candidates.map(({ source, path, state, chosen }) => ({
      source,
      path,
      state,
      chosen,
    })),
    problems: count('problem'),
    warnings: count('warning'),
    unexamined: findings.filter((one) => one.unexamined).length,
    findings: findings.map(({ level, check, what, where, line, column, todo, unexamined }) => ({
      level,
      check,
      what,
      where: where ?? null,
      line: line ?? null,
      column: column ?? null,
      todo: todo ?? null,
      unexamined: unexamined === true,
    })),
    repaired: repairs === null ? [] : repairs.repaired.map(({ what, where }) => ({ what, where })),
    skipped: [],
  };
}
