/**
 * Messages about state that could not be read or confirmed, so that nobody takes it for free or done.
 * Sentences for error codes are `text/why.ts`.
 */
import type { ScopeState } from '@fleet-estop/sentinel-core';
import { visible } from '../text/visible.ts';
import { unreadText } from '../text/why.ts';
import { scopeName } from './hold-text.ts';
import type { Selection } from './selection.ts';
import { notSeenIn } from './state.ts';

/** One line for each scope that could not be read, however many profiles it binds. */
export const unreadNotices = (states: Iterable<ScopeState>): string[] =>
  [...new Set(states)].flatMap((state) => {
    const why = notSeenIn(state);
    if (why === null) return [];
    return [`${scopeName(state.scope)} cannot be read, and counts as held: ${unreadText(why)}`];
  });

/** Only if all profiles were asked for. */
export const unlistedNotices = ({ listing, profiles }: Selection): string[] =>
  profiles === null && listing.unreadable !== undefined ? [unlistedText(listing.unreadable)] : [];

export const unlistedText = (why: string): string =>
  `the profiles cannot be listed: ${unreadText(why)}`;

export const unconfirmedLines = (name: string, unexpectedError: string): string[] => [
  `NOT confirmed: ${name}: ${visible(unexpectedError)}`,
  '  look with `fleet status` before relying on it',
];
