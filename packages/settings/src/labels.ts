/**
 * Parses label selectors and matches them against labels.
 * Which profiles a selection means is decided by the command line.
 */
import { shown } from './problem.ts';

export interface Labels {
  readonly [key: string]: string;
}

export type Selector =
  | { readonly key: string; readonly test: 'present' | 'absent' }
  | { readonly key: string; readonly test: 'equals' | 'differs'; readonly value: string };

export type ParsedSelector =
  | { readonly parsed: true; readonly selector: Selector }
  | {
      readonly parsed: false;
      /** The wrong part; `form` if the selector as a whole is wrong. */
      readonly part: 'form' | 'key' | 'value';
      readonly message: string;
      readonly expected: string;
      readonly hint: string | null;
    };

export const KEY = /^[a-z0-9]([a-z0-9._/-]{0,61}[a-z0-9])?$/;
export const VALUE = /^[A-Za-z0-9._-]{0,63}$/;
export const KEY_RULE =
  '1 to 63 of a-z, 0-9, `.`, `_`, `/` and `-`, with a letter or digit at both ends';
export const VALUE_RULE = 'up to 63 of A-Z, a-z, 0-9, `.`, `_` and `-`';

const FORMS = '`key=value`, `key!=value`, `key` or `!key`';

/**
 * Parses `key=value`, `key!=value`, `key` (present, any value) or `!key` (absent). Nothing is trimmed.
 * An empty value is rejected, because an unset shell variable leaves one behind. Never throws.
 */
export function parseSelector(text: string): ParsedSelector {
  if (text === '') return rejected('form', 'the selector is empty', FORMS);
  if (text.includes(',')) {
    return rejected('form', `${shown(text)} is more than one selector`, FORMS, 'repeat the option');
  }
  const operator = /!?=/.exec(text);
  const bare = operator === null;
  const key = bare ? text.replace(/^!/, '') : text.slice(0, operator.index);
  if (!KEY.test(key)) {
    return rejected('key', `${shown(key)} cannot be the name of a label`, KEY_RULE, hintOfKey(key));
  }
  if (bare) {
    return { parsed: true, selector: { key, test: text.startsWith('!') ? 'absent' : 'present' } };
  }
  const [sign] = operator;
  const value = text.slice(operator.index + sign.length);
  if (value === '') {
    const hint = `to ask whether the label is there at all, leave out \`${sign}\``;
    return rejected('value', `${shown(text)} names no value`, FORMS, hint);
  }
  if (!VALUE.test(value)) {
    const hint = value.startsWith('=') ? `did you mean ${shown(key + value)}?` : null;
    return rejected('value', `${shown(value)} cannot be the value of a label`, VALUE_RULE, hint);
  }
  return { parsed: true, selector: { key, test: sign === '=' ? 'equals' : 'differs', value } };
}

/**
 * true if the labels satisfy every selector; no selectors match everything. As in kubectl, an absent
 * label satisfies `key!=value`.
 */
export const matches = (selectors: readonly Selector[], labels: Labels): boolean =>
  selectors.every((selector) => satisfies(selector, labels));

function satisfies(selector: Selector, labels: Labels): boolean {
  const value = Object.hasOwn(labels, selector.key) ? labels[selector.key] : undefined;
  switch (selector.test) {
    case 'present':
      return value !== undefined;
    case 'absent':
      return value === undefined;
    case 'equals':
      return value === selector.value;
    case 'differs':
      return value !== selector.value;
  }
}

function hintOfKey(key: string): string | null {
  const lower = key.trim().toLowerCase();
  return key !== lower && KEY.test(lower) ? `did you mean ${shown(lower)}?` : null;
}

const rejected = (
  part: 'form' | 'key' | 'value',
  message: string,
  expected: string,
  hint: string | null = null,
): ParsedSelector => ({ parsed: false, part, message, expected, hint });
