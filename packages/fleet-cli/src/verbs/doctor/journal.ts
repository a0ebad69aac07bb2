/**
 * Examines whether the journal can be read.
 */

import { dirname, join } from 'node:path';
import { journalPath, readJournal } from '@fleet-estop/sentinel-core';
import { counted } from '../../text/fields.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

export function examineJournal({ root }: ExaminedFleet): Finding[] {
  const folder = dirname(journalPath(root.root));
  const findings: Finding[] = [];
  const corrupt = new Map<string, { first: number; count: number }>();
  let records = 0;
  for (const found of readJournal(root.root)) {
    if (found.kind === 'record') {
      records += 1;
    } else if (found.kind === 'corrupt') {
      const { first, count } = corrupt.get(found.file) ?? { first: found.line, count: 0 };
      corrupt.set(found.file, { first, count: count + 1 });
    } else {
      const { file, why } = found;
      const what = `the journal cannot be read there (${why})`;
      const where = file === '.fleet' ? folder : join(folder, file);
      findings.push({ level: 'problem', check: 'journal', what, where, unexamined: true });
    }
  }
  for (const [file, { first, count }] of corrupt) {
    findings.push({
      level: 'warning',
      check: 'journal',
      what: `${counted(count, 'line')} cannot be read, the first of them here`,
      where: join(folder, file),
      line: first,
      todo: 'a full disk or a kill may have torn it; history skips it',
    });
  }
  if (findings.length > 0) return findings;
  return [{ level: 'ok', check: 'journal', what: `${counted(records, 'record')} can be read` }];
}
