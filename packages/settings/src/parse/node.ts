/**
 * Describes and classifies one YAML node.
 * What is rejected is decided by `document.ts`.
 */
import { isMap, isScalar, isSeq, type Node, Scalar } from 'yaml';
import { shown } from '../problem.ts';

export const NOTHING = 'nothing';

/** A value as written, in backticks; or `a list of 3 entries`; or NOTHING. */
export function describeNode(text: string, node: Node | null): string {
  if (isMap(node)) return `a mapping of ${count(node.items.length, 'key', 'keys')}`;
  if (isSeq(node)) return `a list of ${count(node.items.length, 'entry', 'entries')}`;
  const [start, end] = node?.range ?? [0, 0];
  return start === end ? NOTHING : shown(text.slice(start, end).trimEnd());
}

/** A key as written; '' if it is not a word on its line. */
export const wordOf = (node: Node | null): string =>
  isScalar(node) && !isBlock(node) ? (node.source ?? '') : '';

/** true for block text, after `|` or `>`. */
export const isBlock = (node: Node | null): boolean =>
  isScalar(node) && (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED);

const count = (number: number, one: string, many: string): string =>
  `${number} ${number === 1 ? one : many}`;
