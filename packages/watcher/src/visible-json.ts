/**
 * JSON that is also safe to print: texts of a fleet come from files that anybody may write, and
 * terminals obey some characters.
 */

/** Control characters, bidi controls, invisible characters and unpaired surrogates. */
const HIDDEN = /[^\n\P{C}]|[\p{Zl}\p{Zp}]/gu;

/** The same JSON with such characters escaped: in JSON they can only occur in strings. */
export const visibleJson = (json: string): string =>
  json.replace(HIDDEN, (found) =>
    [...Array(found.length).keys()]
      .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
