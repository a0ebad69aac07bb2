/**
 * `fleet doctor`: looks for what is wrong with a fleet, its files and this host; writes nothing unless
 * `--fix` is given. What is looked at is `doctor/`; how it is shown is `render/doctor.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../answer.ts';
import { examine, groundOf } from '../doctor/examine.ts';
import type { Finding } from '../doctor/finding.ts';
import { type Repairs, repair } from '../doctor/repair.ts';
import { type RootSearch, searchRoot } from '../doctor/root.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { flag } from '../input/flags.ts';
import { doctorDocument, doctorLines } from '../render/doctor.ts';
import { type GlobalOptions, openSession } from '../session.ts';
import type { Verb } from './verb.ts';

interface DoctorOptions extends GlobalOptions {
  readonly fix?: true;
}

export interface DoctorFacts {
  readonly search: RootSearch;
  readonly findings: readonly Finding[];
  /** null: it was not asked to repair anything. */
  readonly repairs: Repairs | null;
}

export const doctor: Verb = {
  description:
    'Look for what is wrong with the fleet, its files and this host, and say what to do about each. Writes nothing without --fix.',
  examples: ['fleet doctor', 'fleet doctor --fix', 'fleet doctor --json'],
  configure: (command) => {
    command
      .addOption(
        flag(
          '--fix',
          'end what dead processes left half-done, clear away their work in hand, and remove expired sentinels',
        ),
      )
      .addHelpText(
        'after',
        `
Exit status:
  0  no problem; there may be warnings
  1  there are problems
  3  something could not be examined`,
      );
  },
  run,
};

async function run(command: Command, nowMs: number): Promise<Answer> {
  const options = command.opts<DoctorOptions>();
  const search = searchRoot(options.root, process.env);
  const { root } = search;
  let repairs: Repairs | null = null;
  const findings = [...search.findings];
  if (root !== null) {
    if (options.fix) repairs = await repair(groundOf(root, nowMs), openSession(options, nowMs));
    // After the repairs: what is told is what remains.
    findings.push(...(await examine(groundOf(root, nowMs))));
  }
  const facts: DoctorFacts = { search, findings, repairs };
  return {
    // Whoever would repair something named the wrong folder.
    exit: options.fix && search.isUnrecognized ? EXIT.usage : exitOfDoctor(findings),
    document: () => doctorDocument(facts),
    lines: (view) => doctorLines(facts, view),
    notices: repairs?.notices ?? [],
  };
}

function exitOfDoctor(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ unexamined }) => unexamined)) return EXIT.unreadable;
  return findings.some(({ level }) => level === 'problem') ? EXIT.notAsAsked : EXIT.done;
}
