/**
 * What one run of one phase came to, as one line for machines and as a table for people.
 * How it is gathered is `rig.ts`.
 */
import type { Violation } from './ledger.ts';
import type { PhaseName, RoleKind } from './phases.ts';
import type { Mode } from './post.ts';

export interface PhaseReport {
  readonly phase: PhaseName;
  readonly mode: Mode;
  readonly dir: string;
  /** The kind of file system, or its number where it has no name here. */
  readonly fileSystem: string;
  readonly seconds: number;
  readonly seed: string;
  readonly kills: Partial<Record<RoleKind, number>>;
  readonly killed: number;
  readonly abandoned: Readonly<Record<string, number>>;
  /** Holders that came back to an operation of theirs cut off in its middle. */
  readonly midOperation: number;
  readonly operations: Readonly<Record<string, number>>;
  /** Operations that answered no, by verb and reason. */
  readonly odd: Readonly<Record<string, number>>;
  readonly looks: number;
  /** Looks that had to find some hold, since it stood from before them until after. */
  readonly looksAtHolds: number;
  /** Looks answered by what lay inside a tenure, and looks that did not settle. */
  readonly aside: number;
  readonly unsettled: number;
  readonly lookedAgain: number;
  readonly rounds: Readonly<Record<string, number>>;
  /** Rounds in which a second foreign writer found the name free, since the first hold was aside. */
  readonly met: number;
  /** Rounds whose end could not be judged, since somebody always had the tenure. */
  readonly neverAtRest: number;
  /** What contenders answered, and how rounds ended that no living process won. */
  readonly answers: Readonly<Record<string, number>>;
  /** Names beside ESTOP after the last recovery. */
  readonly leftovers: readonly string[];
  readonly violations: number;
  /** Some of them, with their context. */
  readonly firstViolations: readonly Violation[];
}

export const violationsIn = (reports: readonly PhaseReport[]): number =>
  sum(reports.map(({ violations }) => violations));

export function killsByRole(reports: readonly PhaseReport[]): Record<string, number> {
  return added(reports.map(({ kills }) => kills));
}

export function summaryOf(reports: readonly PhaseReport[]): string {
  const rows = reports.map((report) => [
    report.phase,
    report.mode,
    report.fileSystem,
    `${report.killed}`,
    `${sum(Object.values(report.abandoned))}`,
    `${report.midOperation}`,
    `${sum(Object.values(report.operations))}`,
    `${sum(Object.values(report.rounds))}`,
    `${report.looks}`,
    `${report.violations}`,
  ]);
  const head = ['phase', 'mode', 'on', 'kills', 'abandoned', 'mid-operation'];
  const table = [[...head, 'operations', 'rounds', 'looks', 'violations'], ...rows];
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, at) =>
        at < 3 ? cell.padEnd(widths?.[at] ?? 0) : cell.padStart(widths?.[at] ?? 0),
      )
      .join('  '),
  );
  const total = (of: (report: PhaseReport) => number) => sum(reports.map(of));
  const byRole = Object.entries(killsByRole(reports)).map(([role, n]) => `${n} ${role}`);
  return [
    ...lines,
    '',
    `${total(({ killed }) => killed)} kills (${byRole.join(', ') || 'none'}), ` +
      `${total(({ abandoned }) => sum(Object.values(abandoned)))} abandoned, ` +
      `${total(({ midOperation }) => midOperation)} of these in the middle of a holder's operation`,
    `${total(({ operations }) => sum(Object.values(operations)))} operations, ` +
      `${total(({ rounds }) => sum(Object.values(rounds)))} rounds, ` +
      `${total(({ looks }) => looks)} looks, ${violationsIn(reports)} violations`,
    ...reports.flatMap(toldViolations),
    '',
  ].join('\n');
}

const SHOWN = 3;
const MAX_SHOWN_LENGTH = 4_000;

function toldViolations({ phase, mode, fileSystem, firstViolations }: PhaseReport): string[] {
  return firstViolations.slice(0, SHOWN).flatMap((violation) => {
    const { by, what } = violation;
    const context = JSON.stringify(violation, null, 2).slice(0, MAX_SHOWN_LENGTH);
    return ['', `VIOLATION in ${phase}, ${mode}, on ${fileSystem}: ${by}: ${what}`, context];
  });
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

function added(counts: readonly Partial<Record<string, number>>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [name, n] of counts.flatMap((count) => Object.entries(count))) {
    total[name] = (total[name] ?? 0) + (n ?? 0);
  }
  return total;
}
