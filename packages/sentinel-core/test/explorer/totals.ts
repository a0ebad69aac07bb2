/**
 * Adds up what many explorations found, and says it.
 */
import type { Figures } from './figures.ts';
import { type Answer, describe, type Job } from './jobs.ts';

interface Noted {
  count: number;
  /** Explorations that met it. */
  runs: number;
  /** Of the shortest trace. */
  where: string;
  text: string;
  trace: readonly string[];
}

export class Totals {
  runs = 0;
  states = 0;
  steps = 0;
  ends = 0;
  longestCheck = 0;
  unsettled = 0;
  readonly capped: string[] = [];
  /** Where rounds could not be merged. */
  readonly apart: string[] = [];
  readonly crashed: string[] = [];
  readonly violations = new Map<string, Noted>();
  readonly windows = new Map<string, Noted>();

  add(job: Job, answer: Answer): void {
    this.runs++;
    const where = describe(job);
    if ('crashed' in answer) {
      this.crashed.push(`${where}: ${answer.crashed}`);
      return;
    }
    this.states += answer.states;
    this.steps += answer.steps;
    this.ends += answer.ends;
    this.longestCheck = Math.max(this.longestCheck, answer.longestCheck);
    this.unsettled += answer.unsettled;
    if (answer.capped) this.capped.push(where);
    if (answer.apart) this.apart.push(where);
    for (const [key, finding] of answer.violations) note(this.violations, key, where, finding);
    for (const [key, finding] of answer.windows) note(this.windows, key, where, finding);
  }

  get clean(): boolean {
    return this.violations.size === 0 && this.crashed.length === 0;
  }

  /** `of`: how many runs the set has. A run that crashed counts as a violation. */
  figures(of: number): Omit<Figures, 'code'> {
    const { runs, states, capped, crashed } = this;
    return { runs, of, states, capped: capped.length, violations: this.broken + crashed.length };
  }

  private get broken(): number {
    return [...this.violations.values()].reduce((sum, { count }) => sum + count, 0);
  }

  line(name: string, of: number): string {
    const { runs, states, steps, ends, longestCheck, unsettled, capped } = this;
    const figure = (value: number) => value.toLocaleString('en');
    return [
      `${name}: ${figure(runs)} of ${figure(of)} runs`,
      `${figure(states)} states`,
      `${figure(steps)} steps`,
      `${figure(ends)} ends`,
      `longest check ${longestCheck}`,
      `${unsettled} unsettled`,
      `${capped.length} capped`,
      `${this.broken} violations`,
    ].join(', ');
  }

  /** Violations with one trace each, then what else deserves a look. */
  details({ traces }: { traces: boolean }): string[] {
    const lines: string[] = [];
    for (const [key, { count, runs, where, text, trace }] of this.violations) {
      lines.push(`  VIOLATION ${key} (${count} times in ${runs} runs): ${text}`, `    in ${where}`);
      lines.push(...trace.map((line) => `      ${line}`));
    }
    for (const crash of this.crashed) lines.push(`  CRASHED ${crash}`);
    for (const where of this.capped) lines.push(`  capped: ${where}`);
    for (const where of this.apart) lines.push(`  rounds kept apart: ${where}`);
    for (const [key, { count, runs, where, trace }] of this.windows) {
      lines.push(`  window (${count} times in ${runs} runs): ${key}`);
      if (traces) lines.push(`    in ${where}`, ...trace.map((line) => `      ${line}`));
    }
    return lines;
  }
}

function note(
  noted: Map<string, Noted>,
  key: string,
  where: string,
  { count, text, trace }: { count: number; text: string; trace: readonly string[] },
): void {
  const known = noted.get(key);
  if (known === undefined) {
    noted.set(key, { count, runs: 1, where, text, trace });
    return;
  }
  known.count += count;
  known.runs++;
  if (trace.length < known.trace.length) Object.assign(known, { where, text, trace });
}
