/**
 * The names under which a hold can be placed by a command, over HTTP or in a chat. A sentinel that
 * somebody else wrote can name any other holder, and is read as it is.
 */
import { hidesSomething } from './hidden.ts';

/** Characters, not UTF-16 code units. */
const MAX_HOLDER = 64;

/** For the hint of an error. */
export const HOLDER_NAME_RULE = `a holder is 1 to ${MAX_HOLDER} characters, all of them visible, without space around them`;

export const isHolderName = (text: string): boolean =>
  text !== '' && text.trim() === text && [...text].length <= MAX_HOLDER && !hidesSomething(text);
