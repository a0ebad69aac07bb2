// @ts-nocheck
/**
 * Shows what a pause would replace before it is written, and checks the input of the dialog.
 */
import { element, isolated, visible } from './text.js';

/** Why this is not a duration; '': it is one, or empty. A number alone would be seconds. */
export const mistakeIn = (ttl) =>
  /^\d+$/.test(ttl)
    ? `${ttl} of what? Write ${ttl}m for minutes, ${ttl}h for hours or ${ttl}s for seconds. Nothing was changed.`
    : '';

const endOf = ({ expires_at }) =>
  expires_at === null ? 'until it is lifted' : `until ${visible(expires_at)}`;

function passing({ allow_users, allow_profiles }) {
  if (allow_users === null || allow_users.length === 0) return 'nobody may pass';
  const where =
    allow_profiles === null ? '' : `, only in ${allow_profiles.map(visible).join(', ')}`;
  return `may pass: ${allow_users.map(visible).join(', ')}${where}`;
}

const termsOf = (terms) =>
  `${visible(terms.reason ?? 'no reason')}; ${endOf(terms)}; ${passing(terms)}`;

/** One line about the replaced hold. */
export const replacedText = (before) =>
  `It replaced the hold of ${visible(before.holder ?? 'nobody named')}: ${termsOf(before)}.`;

/** Nodes for the old hold, the new hold, and what becomes looser. */
export function comparison({ replaced_hold: before, hold, warnings }) {
  const list = element('dl');
  for (const [name, terms] of [
    ['Stands now', before],
    ['Would stand', hold],
  ]) {
    const said = element('dd');
    said.append(isolated(termsOf(terms)));
    list.append(element('dt', name), said);
  }
  const title = element('p', `${visible(before.holder)} has a hold here. Pausing replaces it:`);
  return [title, list, ...warnings.map((warning) => element('p', `! ${visible(warning)}`, 'said'))];
}
