/**
 * JSON that is also safe to look at: texts of a fleet come from anybody's files, and a terminal obeys
 * some of them.
 */

/** Controls, what turns the text around it, what is drawn as nothing, and halves of characters. */
const HIDDEN = /[^\n\P{C}]|[\p{Zl}\p{Zp}]/gu;

/** The same JSON, with such characters as escapes: in JSON they can stand in texts alone. */
export const visibleJson = (json: string): string =>
  json.replace(HIDDEN, (found) =>
    [...Array(found.length).keys()]
      .map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join(''),
  );
