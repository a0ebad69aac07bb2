/**
 * `fleet doctor`: finds problems of a fleet, its files and this host. It writes only with `--fix`.
 * The list of examinations is `examine.ts`, the output `text.ts`.
 */
import type { Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import { flag } from '../../cli/flags.ts';
import type { Verb } from '../../cli/verb.ts';
import { type GlobalOptions, openSession } from '../../fleet/session.ts';
import { examine, examinedFleet } from './examine.ts';
import { type DoctorFacts, exitOfDoctor } from './facts.ts';
import { type Repairs, repair } from './repair.ts';
import { searchRoot } from './root.ts';
import { doctorDocument, doctorLines } from './text.ts';

interface DoctorOptions extends GlobalOptions {
  readonly fix?: true;
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
          'finish what dead processes left half-done, remove the records of their work, and remove expired sentinels',
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
    if (options.fix)
      repairs = await repair(examinedFleet(root, nowMs), openSession(options, nowMs));
    // Examined after the repairs, so that only the remaining problems are shown.
    findings.push(...(await examine(examinedFleet(root, nowMs))));
  }
  const facts: DoctorFacts = { search, findings, repairs };
  return {
    // With --fix, an unrecognised root means that the user named the wrong folder.
    exit: options.fix && search.isUnrecognized ? EXIT.usage : exitOfDoctor(findings),
    document: () => doctorDocument(facts),
    lines: (view) => doctorLines(facts, view),
    notices: repairs?.notices ?? [],
  };
}
