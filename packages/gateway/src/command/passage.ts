/**
 * Tells whom a new hold closes out. Who that is says the core's `closedOut`.
 */
import { closedOut, type Hold, type ScopeState } from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';
import { MAX_WORDS } from './replies.ts';

/** No other hold is changed; but a hold beside those that let somebody pass can close them. */
export function closedNotice(
  before: readonly ScopeState[],
  hold: Hold,
  profile: string,
): readonly string[] {
  const lost = closedOut(before, hold, profile);
  if (lost.length === 0) return [];
  return [
    `Could pass before, and cannot while this stands: ${oneLine(lost.join(', '), MAX_WORDS)}.`,
  ];
}
