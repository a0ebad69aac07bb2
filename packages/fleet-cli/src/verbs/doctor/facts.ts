/**
 * The result of `fleet doctor`: findings and repairs, and the exit code.
 */
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import type { Finding } from './finding.ts';
import type { Repairs } from './repair.ts';
import type { RootSearch } from './root.ts';

export interface DoctorFacts {
  readonly search: RootSearch;
  readonly findings: readonly Finding[];
  /** null: without --fix. */
  readonly repairs: Repairs | null;
}

export function exitOfDoctor(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ unexamined }) => unexamined)) return EXIT.unreadable;
  return findings.some(({ level }) => level === 'problem') ? EXIT.notAsAsked : EXIT.done;
}
