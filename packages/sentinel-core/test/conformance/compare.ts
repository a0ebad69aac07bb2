/**
 * Our answers to one scenario beside the recorded ones: where they differ, and where we are laxer.
 * Which differences are meant is `deviations.ts`.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Answers } from './answers.ts';
import type { Field } from './deviations.ts';
import { failed, type Present, type RecordedState, type Scenario } from './recorded.ts';

export interface Ours extends Answers {
  readonly present_after_engaged: Present;
  readonly present_after_disengage: Present;
}

type Comparable = { readonly [field in Field]: unknown };

/** The recorded answers, in a form that equals ours where they say the same. */
export function recordedAnswers({ verdict }: Scenario): Comparable {
  const { state } = verdict;
  const spoken = state === null || failed(state) ? state : asText(state as RecordedState);
  return { ...verdict, state: spoken, allowed: verdict.allowed.map(({ allowed }) => allowed) };
}

export function differingFields(scenario: Scenario, ours: Ours): Field[] {
  const recorded = recordedAnswers(scenario);
  return (Object.keys(ours) as Field[]).filter(
    (field) => !isDeepStrictEqual(ours[field], recorded[field]),
  );
}

/**
 * In words, what we grant or give up that upstream does not: work that is not held or is admitted, a
 * sentinel removed by asking, or one that lifting everything leaves. Upstream's failures grant nothing.
 */
export function whereLaxer({ verdict }: Scenario, ours: Ours): string[] {
  const laxer: string[] = [];
  if (verdict.engaged !== false && !ours.engaged) laxer.push('is not held');
  verdict.allowed.forEach(({ user_id, profile, allowed }, at) => {
    if (allowed !== true && ours.allowed[at]) laxer.push(`admits ${user_id} on ${profile}`);
  });
  for (const scope of ['root', 'profile'] as const) {
    if (verdict.present_after_engaged[scope] && !ours.present_after_engaged[scope]) {
      laxer.push(`asking removes the sentinel of the ${scope}`);
    }
    if (!verdict.present_after_disengage[scope] && ours.present_after_disengage[scope]) {
      laxer.push(`lifting everything leaves the sentinel of the ${scope}`);
    }
  }
  if (verdict.disengage && !ours.disengage) laxer.push('denies that it lifted');
  return laxer;
}

function asText(state: RecordedState): unknown {
  return {
    reason: textOf(state.reason),
    engaged_at: textOf(state.engaged_at),
    expires_at: textOf(state.expires_at),
    allow: state.allow,
  };
}

const textOf = (value: unknown): string | null =>
  value === null || typeof value === 'string' ? value : JSON.stringify(value);
