/**
 * Describes how a pause changed an existing hold of the same holder, and warns where it holds less than before.
 */
import type { Allow, Hold } from '@fleet-estop/sentinel-core';
import type { Field } from '../text/fields.ts';
import type { Json } from '../text/json.ts';
import { bothTimes } from '../text/time.ts';
import { visible } from '../text/visible.ts';
import { allowedBeyond } from './allowlist.ts';
import { deadline, holderName, notByYou, whoMayPass } from './hold-text.ts';
import { isOfAnother } from './holder.ts';
import { allowJson, holdJson } from './json.ts';

/** Whether `hold` ends before `before` did. A hold without a deadline ends last. */
export const endsEarlier = (hold: Hold, before: Hold): boolean =>
  (hold.expiresAtMs ?? Number.POSITIVE_INFINITY) < (before.expiresAtMs ?? Number.POSITIVE_INFINITY);

export const endText = ({ expiresAtMs }: Hold): string =>
  expiresAtMs === null ? 'until lifted' : `until ${bothTimes(expiresAtMs)}`;

const moreMayPass = (hold: Hold, before: Hold): Allow | null =>
  allowedBeyond(hold.allow, before.allow);

/** One field for each thing that changed. */
export function replacedFields(hold: Hold, before: Hold, nowMs: number): Field[] {
  const facts: Field[] = [];
  if (before.reason !== hold.reason) {
    facts.push(['had reason', before.reason === null ? 'none given' : visible(before.reason)]);
  }
  if (before.expiresAt !== hold.expiresAt) facts.push(['was until', deadline(before, nowMs)]);
  const passed = whoMayPass(before.allow);
  if (passed !== whoMayPass(hold.allow)) facts.push(['could pass', passed]);
  return facts;
}

/** `name`: the scope's name. */
export function replacedWarnings(name: string, hold: Hold, before: Hold): string[] {
  const warnings: string[] = [];
  if (endsEarlier(hold, before)) {
    warnings.push(
      `warning: the hold on ${name} ENDS EARLIER: ${endText(before)} before, ${endText(hold)} now`,
    );
  }
  const more = moreMayPass(hold, before);
  if (more !== null) {
    warnings.push(`warning: the hold on ${name} LETS MORE PASS than before: ${whoMayPass(more)}`);
  }
  if (isOfAnother(before)) {
    warnings.push(
      `warning: the hold of \`${holderName(before)}\` that this replaces ${notByYou(before)}`,
    );
  }
  return warnings;
}

/** `hold`: null if nothing was armed; `before`: null if nothing was replaced. */
export function replacedJson(hold: Hold | null, before: Hold | null, nowMs: number) {
  const both = hold !== null && before !== null;
  return {
    replaced: before?.id ?? null,
    replaced_hold: before === null ? null : holdJson(before, nowMs),
    replaced_of_another: before !== null && isOfAnother(before),
    ends_earlier: both && endsEarlier(hold, before),
    more_may_pass: both ? allowJson(moreMayPass(hold, before)) : null,
  } satisfies { [key: string]: Json };
}
