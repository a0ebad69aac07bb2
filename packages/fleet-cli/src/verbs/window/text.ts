/**
 * The messages of `fleet window`. All of them go to stderr, because stdout belongs to the command.
 */
import type { Hold, ScopeState } from '@fleet-estop/sentinel-core';
import { noLongerAllowed } from '../../fleet/allowlist.ts';
import {
  deadline,
  headline,
  liftCommand,
  resumeCommand,
  scopeName,
  whoMayPass,
} from '../../fleet/hold-text.ts';
import type { Session } from '../../fleet/session.ts';
import type { Target } from '../../fleet/targets.ts';
import type { EndResult, HoldChange, PlaceResult } from '../../own-hold/outcomes.ts';
import { fields } from '../../text/fields.ts';
import { bothTimes, span } from '../../text/time.ts';
import { shellOption, visible } from '../../text/visible.ts';
import { whyText } from '../../text/why.ts';

const nameOf = ({ profile }: Target): string => profile ?? 'the whole fleet';

type PlaceSuccess = Extract<PlaceResult, { placed: true }>;
export type PlacedHold = readonly [Target, PlaceSuccess];

/** Printed before the command starts. */
export function openingLines(
  { root, nowMs, operation }: Session,
  placedHolds: readonly PlacedHold[],
): string[] {
  const [first] = placedHolds;
  if (first === undefined) return [];
  const { hold } = first[1];
  return [
    `window: holding ${placedHolds.map(([target]) => nameOf(target)).join(', ')}`,
    ...fields([
      ['root', `${visible(root.root)} (${root.source})`],
      ...(operation === null ? [] : [['operation', operation] as const]),
      ['holder', visible(hold.holder ?? '')],
      ['reason', visible(hold.reason ?? '')],
      ['until', `${deadline(hold, nowMs)}, later while the command runs`],
    ]),
  ];
}

/** Warnings that are printed also with --quiet. */
export function openingWarnings(placedHolds: readonly PlacedHold[]): string[] {
  return placedHolds.flatMap(([target, { before, after }]) => {
    const lost = noLongerAllowed(before, after);
    if (lost === null) return [];
    return [
      `warning: could pass ${nameOf(target)} before this window, and cannot pass now: ${whoMayPass(lost)}`,
    ];
  });
}

export function notPlacedLines(target: Target, why: string, holder: string): string[] {
  const lines = [`NOT run: ${nameOf(target)} could not be held: ${placingText(why, holder)}`];
  if (why === 'name-taken') {
    lines.push('  that hold is neither changed nor lifted: leave --as out, or use another name');
  }
  return lines;
}

function placingText(why: string, holder: string): string {
  if (why === 'name-taken') return `a hold of \`${visible(holder)}\` is already there`;
  if (why === 'no-deadline') return 'only an empty file could be written, which has no deadline';
  return whyText(why);
}

export function holdChangeLines(target: Target, change: HoldChange, now: ScopeState): string[] {
  const name = nameOf(target);
  const others = now.check.engaged
    ? now.check.holds.filter(({ id }) => id !== idOf(change)).map(othersLine)
    : [];
  switch (change.kind) {
    case 'taken':
      return [
        `WINDOW OPEN: this window's hold on ${name} was lifted by somebody else`,
        '  it is not placed again, and the command goes on',
        ...others,
      ];
    case 'lapsed': {
      const { fromMs, toMs, again } = change;
      if ('why' in again) {
        return [
          `WINDOW OPEN: this window's hold on ${name} lapsed at ${bothTimes(fromMs)}`,
          `  and cannot be placed again: ${whyText(again.why)}; fleet keeps trying`,
          ...others,
        ];
      }
      return [
        `WINDOW STOOD OPEN for ${span(toMs - fromMs)}: this window's hold on ${name} lapsed`,
        `  at ${bothTimes(fromMs)}, when nobody renewed it: was this process stopped, or its host asleep?`,
        `  armed again, until ${deadline(again, toMs)}`,
        ...others,
      ];
    }
    case 'not-renewed':
      return [
        `warning: this window's hold on ${name} could not be renewed: ${whyText(change.why)}`,
        `  fleet keeps trying; otherwise it ends at ${bothTimes(change.deadlineMs)}`,
      ];
    case 'renewed-at-last':
      return [
        `this window's hold on ${name} is renewed again, until ${bothTimes(change.deadlineMs)}`,
      ];
  }
}

const idOf = (change: HoldChange): string | null =>
  change.kind === 'lapsed' && 'id' in change.again ? change.again.id : null;

const othersLine = (hold: Hold): string => `  held by others: ${headline(hold)}`;

/** Printed at the very end, because earlier messages may have scrolled away. */
export const openLines = (open: readonly Target[]): string[] =>
  open.length === 0
    ? []
    : [
        `warning: new work was NOT held all the time on ${open.map(nameOf).join(', ')}: this window's hold was lifted or lapsed meanwhile`,
      ];

/** `reportsSuccess`: print also what went as asked. */
export function endingLines(
  { root }: Session,
  target: Target,
  ending: EndResult,
  { reportsSuccess, holder }: { readonly reportsSuccess: boolean; readonly holder: string },
): string[] {
  const name = nameOf(target);
  switch (ending.kind) {
    case 'never-placed':
      return [];
    case 'lifted': {
      if (!reportsSuccess) return [];
      const still = ending.after.flatMap(({ scope, check }) =>
        check.engaged
          ? check.holds.map((hold) => `  still held: ${scopeName(scope)} by ${headline(hold)}`)
          : [],
      );
      return [`window: lifted its hold on ${name}`, ...still];
    }
    case 'gone':
      if (ending.reported) return [];
      return ending.toMs < ending.deadlineMs
        ? [
            `WINDOW OPEN: this window's hold on ${name} was lifted by somebody else`,
            '  before the command ended; nothing was lifted now',
          ]
        : [
            `WINDOW STOOD OPEN for ${span(ending.toMs - ending.deadlineMs)}: this window's hold on ${name} lapsed`,
            `  at ${bothTimes(ending.deadlineMs)}, before the command ended`,
          ];
    case 'not-lifted': {
      const { why, hold } = ending;
      const command =
        (hold === null ? null : liftCommand(root, target.scope, hold)) ??
        `${resumeCommand(root, target.profile)} ${shellOption('--as', holder)}`;
      return [
        `NOT LIFTED: this window's hold on ${name}: ${whyText(why)}`,
        `  lift it with  ${command}`,
        '  otherwise its deadline lifts it',
      ];
    }
  }
}
