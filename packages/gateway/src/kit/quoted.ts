/**
 * Quotes a gateway's reply in a failure message: bounded, and safe for a terminal.
 */

import { visible } from '@fleet-estop/sentinel-core';

/** Characters (UTF-16 code units) of a reply that are shown. */
const MAX_SHOWN = 200;

/** The text in double quotes, followed by the number of cut characters if it was cut. */
export function quoted(text: string): string {
  const isCut = text.length > MAX_SHOWN;
  const shown = isCut ? text.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, '') : text;
  const escaped = visible(JSON.stringify(shown));
  return isCut ? `${escaped} and ${text.length - shown.length} characters more` : escaped;
}
