/**
 * From YAML text to plain values, and where each of them stands in the file.
 * What the values may be is for the schemas.
 */
import { isMap, isScalar, isSeq, type Node, type Pair } from 'yaml';
import type { Position } from '../position.ts';
import { type Complaint, type ProblemCode, shown } from '../problem.ts';
import { compose } from './compose.ts';
import { describeNode, isBlock, NOTHING, wordOf } from './node.ts';

export type Path = readonly (string | number)[];

export interface ValueLocation {
  /** Offset of the key that leads here; null for the whole file and for entries of lists. */
  readonly key: number | null;
  readonly value: number;
  /** The value in words, as `describeNode` has it. */
  readonly described: string;
}

export interface Reading {
  /** Mappings have no prototype: a key such as `constructor` is a key like any other. */
  readonly value: unknown;
  readonly locationOf: (path: Path) => ValueLocation | undefined;
  /** Where there is any, the value must not be used. */
  readonly complaints: readonly Complaint[];
}

/**
 * `isText` says which values are taken as the text that was written, be it `1.10`, `no` or `007`,
 * and not as the number or truth value that YAML makes of it.
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
    // Where nothing was written, the place to look at is the key.
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
    // Nothing written is not the same as '' in quotes.
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
    // Its line ends are part of it or not, by rules that few remember.
    if (isText(path) && isBlock(node)) {
      return complaintText('ambiguous-text', 'text in a block', 'write it on the line of its key');
    }
    return null;
  }

  function complaintAboutKey(name: string, earlier?: number): ComplaintText | null {
    if (name === '')
      return complaintText('invalid-value', 'a key that is not a word on its line', null);
    if (earlier !== undefined) {
      const hint = `it also stands on line ${positionOf(earlier).line}`;
      return complaintText('duplicate-key', `the key ${shown(name)} stands twice`, hint);
    }
    // Schemas of mappings with free keys leave this one out in silence.
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

/** `labels.tier`, `watcher.webhooks[0].url`. */
export const dotted = (path: Path): string =>
  path.reduce<string>((whole, step) => {
    if (typeof step === 'number') return `${whole}[${step}]`;
    return whole === '' ? step : `${whole}.${step}`;
  }, '');
