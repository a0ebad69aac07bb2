/**
 * The answer of `fleet restart`: exit code, lines, and the JSON document.
 * What happens meanwhile is printed by `restart-group.ts`.
 */
import { EXIT, type ExitCode } from '../../cli/exit-codes.ts';
import { rootJson } from '../../fleet/json.ts';
import type { Session } from '../../fleet/session.ts';
import type { Json } from '../../text/json.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { type Group, namesOf } from './groups.ts';
import type { GroupOutcome, GroupResult } from './restart-group.ts';

export interface RestartFacts {
  readonly session: Session;
  readonly operation: string;
  readonly results: readonly GroupResult[];
  /** Groups that were not begun. */
  readonly untouched: readonly Group[];
}

export const exitOfRestart = (results: readonly GroupResult[]): ExitCode =>
  results.every(({ outcome }) => outcome === 'restarted') ? EXIT.done : EXIT.notAsAsked;

export function restartLines({ results, untouched }: RestartFacts, { paint }: View): string[] {
  return [
    ...results.map((result) => {
      const { outcome, group, newInstances, drained } = result;
      const names = namesOf(group);
      if (outcome !== 'restarted') return `${paint('red', WORDS[outcome])} ${names}`;
      const cut = drained ? '' : ', work in hand was cut';
      return `${paint('green', 'RESTARTED')} ${names}: ${newInstances.map(visible).join(', ')}${cut}`;
    }),
    ...untouched.map((group) => `${paint('dim', 'untouched')} ${namesOf(group)}`),
  ];
}

const WORDS: Readonly<Record<Exclude<GroupOutcome, 'restarted'>, string>> = {
  'not-restarted': 'NOT RESTARTED, and not held by this restart:',
  failed: 'FAILED, and held:',
  'not-lifted': 'RESTARTED, and still held:',
  interrupted: 'INTERRUPTED',
};

export function restartNotices({ results, untouched }: RestartFacts): string[] {
  const failed = results.filter(({ outcome }) => outcome !== 'restarted');
  return [
    ...results.flatMap(({ group, outcome, why, notices }) => [
      ...(outcome === 'restarted' ? [] : [`NOT restarted as asked: ${namesOf(group)}: ${why}`]),
      ...notices,
    ]),
    ...(failed.length === 0 || untouched.length === 0
      ? []
      : [`nothing was done to ${untouched.map(namesOf).join(', ')}`]),
  ];
}

export const restartDocument = ({
  session,
  operation,
  results,
  untouched,
}: RestartFacts): { readonly [key: string]: Json } => ({
  schema: 'fleet/restart/v1',
  ...rootJson(session.root),
  operation,
  results: results.map((result) => ({
    profiles: result.group.profiles.map(({ name }) => name),
    outcome: result.outcome,
    why: result.why,
    means: result.group.means.words,
    old_instances: result.oldInstances,
    new_instances: result.newInstances,
    drained: result.drained,
    told: result.told,
    notices: result.notices,
  })),
  untouched: untouched.flatMap(({ profiles }) => profiles.map(({ name }) => name)),
});
