/**
 * Converts YAML text to plain values, with the location of each value in the file.
 * Which values are valid is decided by the schemas.
 */
import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { Position } from '../position.ts';
import { type Complaint, type ProblemCode, shown } from '../problem.ts';
import { compose } from './compose.ts';
import { describeNode, isBlock, NOTHING, wordOf } from './node.ts';

export type Path = readonly (string | number)[];

export interface ValueLocation {
  /** Offset of the key; null for the whole file and for list entries. */
  readonly key: number | null;
  readonly value: number;
  /** The value in words, from `describeNode`. */
  readonly described: string;
}

export interface Reading {
  /** Mappings have no prototype, so `constructor` is an ordinary key. */
  readonly value: unknown;
  readonly locationOf: (path: Path) => ValueLocation | undefined;
  /** If not empty, do not use the value. */
  readonly complaints: readonly Complaint[];
}

/**
 * Reads a document. Values for which `isText` is true stay the text that was written, such as `1.10`, `no`
 * or `007`, instead of becoming numbers or booleans.
 */
export function readDocument(
  text: string,
  positionOf: (offset: number) => Position,
  isText: (path: Path) => boolean,
): Reading {
  const composed = compose(text);
  if ('complaint' in composed) {
    return { value: null, locationOf: () => undefined, complaints: [composed.complaint] };
  }

  const locations = new Map<string, ValueLocation>();
  const complaints: Complaint[] = [];
  return {
    value: read(composed.contents, [], null),
    locationOf: (path) => locations.get(JSON.stringify(path)),
    complaints,
  };

  function read(node: Node | null, path: Path, key: number | null): unknown {
    const described = describeNode(text, node);
    // If nothing was written, point at the key.
    const offset = (described === NOTHING ? key : null) ?? node?.range?.[0] ?? 0;
    locations.set(JSON.stringify(path), { key, value: offset, described });
    const complaint = complaintAbout(node, path);
    if (complaint !== null) {
      complaints.push({ ...complaint, offset, key: dotted(path) });
      return null;
    }
    if (isMap<Node | null, Node | null>(node)) return readMapping(node.items, path, offset);
    if (isSeq<Node | null>(node)) {
      return node.items.map((item, index) => read(item, [...path, index], null));
    }
    if (!isScalar(node)) return null;
    // A missing value differs from '' in quotes.
    return isText(path) && described !== NOTHING ? node.source : node.value;
  }

  function readMapping(pairs: Pair<Node | null, Node | null>[], path: Path, start: number) {
    const mapping = Object.create(null);
    const seen = new Map<string, number>();
    for (const { key, value } of pairs) {
      const offset = key?.range?.[0] ?? value?.range?.[0] ?? start;
      const name = wordOf(key);
      const complaint = complaintAboutKey(name, seen.get(name));
      if (complaint === null) {
        seen.set(name, offset);
        mapping[name] = read(value, [...path, name], offset);
      } else {
        const at = name === '' ? path : [...path, name];
        complaints.push({ ...complaint, offset, key: dotted(at) });
      }
    }
    return mapping;
  }

  function complaintAbout(node: Node | null, path: Path): ComplaintText | null {
    // Which line ends belong to a block is easy to get wrong.
    if (isText(path) && isBlock(node)) {
      return complaintText('ambiguous-text', 'text in a block', 'write it on the line of its key');
    }
    return null;
  }

  function complaintAboutKey(name: string, earlier?: number): ComplaintText | null {
    if (name === '')
      return complaintText('invalid-value', 'a key that is not a word on its line', null);
    if (earlier !== undefined) {
      const hint = `it is also on line ${positionOf(earlier).line}`;
      return complaintText('duplicate-key', `the key ${shown(name)} is defined twice`, hint);
    }
    // Schemas of mappings with free keys silently ignore this key.
    if (name !== '__proto__') return null;
    return complaintText('unknown-key', `${shown(name)} is never a key`, null);
  }
}

type ComplaintText = Omit<Complaint, 'offset' | 'key'>;

const complaintText = (code: ProblemCode, message: string, hint: string | null): ComplaintText => ({
  code,
  message,
  expected: null,
  hint,
});

/** The dotted path of a key, such as `labels.tier` or `watcher.webhooks[0].url`. */
export const dotted = (path: Path): string =>
  path.reduce<string>((whole, step) => {
    if (typeof step === 'number') return `${whole}[${step}]`;
    return whole === '' ? step : `${whole}.${step}`;
  }, '');
