/**
 * The lines of `fleet status` about work in hand.
 */
import { profileName } from '../../fleet/hold-text.ts';
import { titleOf, wedgedText, workProgress, workSince } from '../../fleet/work-text.ts';
import { counted } from '../../text/fields.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import type { StatusFacts } from './facts.ts';

/** Profiles of which the work in hand is listed. */
const MAX_BUSY = 10;

/** One line for each profile with work in hand, those with wedged work first. */
export function workNotes({ shown, work }: StatusFacts, { nowMs }: View): string[] {
  const busy = shown
    .flatMap(({ profile }) => {
      const inHand = work.get(profile);
      return inHand === undefined || inHand.oldest === null
        ? []
        : [{ profile, ...inHand, oldest: inHand.oldest }];
    })
    .sort((one, other) => other.wedged.length - one.wedged.length);
  const lines = busy
    .slice(0, MAX_BUSY)
    .map(({ profile, count, wedged: [worst, ...more], oldest }) => {
      const of = count === 1 ? '' : ', the oldest';
      const text =
        worst === undefined
          ? `${titleOf(oldest)}, since ${workSince(oldest, nowMs)}${workProgress(oldest, nowMs)}`
          : `WEDGED${more.length === 0 ? '' : ` ${more.length + 1}`}: ${wedgedText(worst, nowMs)}`;
      return `${profileName(profile)}: ${count} in hand${worst === undefined ? of : ''}: ${visible(text)}`;
    });
  const others = busy.length - lines.length;
  return others === 0
    ? lines
    : [...lines, `and work in hand in ${counted(others, 'more profile')}`];
}
