/**
 * The output of `fleet extend`: which deadline was moved, from when to when, or why not.
 */

import { bodyFields, bodyJson, outcomeWord } from '../../dry-run/text.ts';
import { deadline, headline, holderName, howToLift, liftCommand } from '../../fleet/hold-text.ts';
import { holdJson, rootJson, scopeJson } from '../../fleet/json.ts';
import type { PolicyCheck } from '../../fleet/policies.ts';
import { endsEarlier, endText } from '../../fleet/replaced-text.ts';
import type { Session } from '../../fleet/session.ts';
import { sentinelOf } from '../../fleet/state.ts';
import { unconfirmedLines } from '../../fleet/unread-text.ts';
import { type Field, fields } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import { whyText } from '../../text/why.ts';
import type { Extending, HoldSelector } from './extend-hold.ts';
import type { Extended } from './extend-scope.ts';

export interface ExtendFacts {
  readonly session: Session;
  readonly extendings: readonly Extended[];
  readonly selector: HoldSelector;
  /** Whether fleet.yaml could be used. */
  readonly settings: PolicyCheck['settings'];
  /** The id of this call; null: it changed nothing. */
  readonly operation: string | null;
}

type ExtendedHold = Extract<Extending, { extended: true }>;

const nameOf = ({ target: { profile } }: Extended): string => profile ?? 'the whole fleet';

/** Whether the new end is earlier, or the hold had none before. */
const isShorter = ({ before, hold }: ExtendedHold): boolean => endsEarlier(hold, before);

export function extendLines({ session, extendings }: ExtendFacts, view: View): string[] {
  const lines = extendings.flatMap((extended) => {
    const { result } = extended;
    return 'unexpectedError' in result || !result.extended
      ? []
      : extendedLines(session, extended, result, view);
  });
  for (const name of session.selection.missing) {
    lines.push(`skipped ${name}: there is no such profile`);
  }
  return lines;
}

function extendedLines(
  session: Session,
  extended: Extended,
  extendedHold: ExtendedHold,
  view: View,
): string[] {
  const { root, nowMs } = session;
  const { scope } = extended.target;
  const { before, hold } = extendedHold;
  const facts: Field[] = [
    ['root', `${visible(root.root)} (${root.source})`],
    ['sentinel', visible(sentinelOf(scope))],
    ['holder', holderName(hold)],
    ['hold', visible(hold.id)],
    ['reason', hold.reason === null ? 'none given' : visible(hold.reason)],
    ['was until', deadline(before, nowMs)],
    ['until', deadline(hold, nowMs)],
    ['lift with', howToLift(root, scope, hold)],
    ...(session.operation === null ? [] : [['operation', session.operation] as const]),
    ...bodyFields(session, scope),
  ];
  const word = outcomeWord(session, isShorter(extendedHold) ? 'SHORTENED' : 'EXTENDED');
  return [`${view.paint('yellow', word)} ${nameOf(extended)}`, ...fields(facts)];
}

/** For stderr: first what was not extended, then what was shortened. */
export function extendNotices(facts: ExtendFacts): string[] {
  const { extendings } = facts;
  return [
    ...extendings.flatMap((extended) => failureOf(facts, extended)),
    ...extendings.flatMap(shorteningOf),
  ];
}

function failureOf({ selector }: ExtendFacts, extended: Extended): string[] {
  const { result, after } = extended;
  const name = nameOf(extended);
  if ('unexpectedError' in result) return unconfirmedLines(name, result.unexpectedError);
  if (result.extended) return [];
  const { check } = after;
  const holders = check.engaged ? check.holds.map((hold) => `  held by ${headline(hold)}`) : [];
  return [
    `NOT extended: ${name}: ${reasonOf(result.why, selector)}`,
    ...(HINTS[result.why] ?? []),
    ...holders,
  ];
}

function reasonOf(why: string, selector: HoldSelector): string {
  const which =
    'id' in selector
      ? `hold \`${visible(selector.id)}\``
      : `hold of \`${visible(selector.holder)}\``;
  switch (why) {
    case 'absent':
      return 'nothing holds it';
    case 'expired':
      return `its ${which} has ended already`;
    case 'not-held':
      return `there is no ${which}`;
    case 'ends-later':
      return `its ${which} already ends later, or never, and is kept`;
    case 'anonymous':
      return `the ${which} is anonymous: an older tool or a \`touch\` placed it`;
    case 'twice':
      return `its holder has two holds there, which cannot be distinguished`;
    case 'unfenced':
      return 'another tool wrote the file without a generation';
    case 'armed-anew':
      return `its ${which} had ended, and a new one was placed that could not be lifted again`;
    default:
      return whyText(why);
  }
}

const HINTS: Readonly<Record<string, readonly string[]>> = {
  absent: ['  a new hold is placed with `fleet pause`'],
  expired: ['  a new hold is placed with `fleet pause`'],
  'ends-later': ['  --shorten moves it to the earlier end'],
  anonymous: ['  `fleet pause --ttl` places one of your own beside it'],
  unfenced: ['  `fleet pause --ttl` by the same holder writes it again, and keeps the rest'],
  twice: ['  lift one of them with `fleet resume --hold`'],
};

function shorteningOf(extended: Extended): string[] {
  const { result } = extended;
  if ('unexpectedError' in result || !result.extended || !isShorter(result)) return [];
  const { before, hold } = result;
  return [
    `warning: the hold on ${nameOf(extended)} was SHORTENED: ${endText(before)} before, ${endText(hold)} now`,
  ];
}

export function extendDocument({ session, extendings, settings, operation }: ExtendFacts): {
  [key: string]: Json;
} {
  const { root, nowMs } = session;
  return {
    schema: 'fleet/extend/v1',
    ...rootJson(root),
    dry_run: session.dryRun === true,
    operation,
    settings,
    results: extendings.map(({ target, result, after }) => {
      const extendedHold = 'unexpectedError' in result || !result.extended ? null : result;
      return {
        ...scopeJson(target.scope),
        ...bodyJson(session, target.scope),
        extended: extendedHold !== null,
        why:
          'unexpectedError' in result
            ? result.unexpectedError
            : result.extended
              ? null
              : result.why,
        hold: extendedHold === null ? null : holdJson(extendedHold.hold, nowMs),
        replaced: extendedHold?.before.id ?? null,
        previous_expires_at: extendedHold?.before.expiresAt ?? null,
        shortened: extendedHold !== null && isShorter(extendedHold),
        lift_command:
          extendedHold === null ? null : liftCommand(root, target.scope, extendedHold.hold),
        generation: after.check.engaged ? after.check.generation : null,
        holds: after.check.engaged ? after.check.holds.map((hold) => holdJson(hold, nowMs)) : [],
      };
    }),
    skipped: session.selection.missing,
  };
}
