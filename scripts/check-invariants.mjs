/**
 * Fails when a comment cites an invariant that `docs/concepts.md` does not define, or when the list
 * of invariants there is not whole. Whether code keeps an invariant is for the tests.
 *
 * A comment cites by `[9]`, by `[1][4]`, or by `INVARIANT 9`, `INVARIANTS 3 and 5`.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import ts from 'typescript';

export const PAGE = 'docs/concepts.md';

/**
 * @typedef {{ line: number, number: number }} Citation
 * @typedef {{ file: string, line: number, why: string }} Fault
 */

/**
 * What the page defines, by number; and what is wrong with it.
 * An invariant is a heading `### Invariant N` and, as the next paragraph, its text as a quotation.
 * @param {string} page
 * @returns {{ invariants: ReadonlyMap<number, string>, faults: readonly Fault[] }}
 */
export function definedIn(page) {
  /** @type {Map<number, string>} */
  const invariants = new Map();
  /** @type {Fault[]} */
  const faults = [];
  const lines = page.split('\n');
  lines.forEach((text, at) => {
    const number = Number(/^### Invariant (\d+)$/.exec(text)?.[1]);
    if (Number.isNaN(number)) return;
    const fault = (/** @type {string} */ why) => faults.push({ file: PAGE, line: at + 1, why });
    const sentence = quotationAfter(lines, at);
    if (invariants.has(number)) fault(`invariant ${number} is defined twice`);
    else if (number !== invariants.size + 1) fault(`invariant ${invariants.size + 1} is missing`);
    if (sentence === '') fault(`invariant ${number} has no text`);
    else if ([...invariants.values()].includes(sentence)) {
      fault(`invariant ${number} has the text of another one`);
    }
    invariants.set(number, sentence);
  });
  if (invariants.size === 0) faults.push({ file: PAGE, line: 1, why: 'it defines no invariant' });
  return { invariants, faults };
}

/**
 * @param {readonly string[]} lines
 * @param {number} heading
 */
function quotationAfter(lines, heading) {
  const rest = lines.slice(heading + 1);
  const start = rest.findIndex((line) => line.trim() !== '');
  if (start === -1) return '';
  const quoted = rest.slice(start);
  const end = quoted.findIndex((line) => !line.startsWith('>'));
  return (end === -1 ? quoted : quoted.slice(0, end))
    .map((line) => line.replace(/^>\s*/, ''))
    .join(' ')
    .trim();
}

/**
 * The invariants that the comments of one file cite.
 * @param {string} file
 * @param {string} text
 * @returns {Citation[]}
 */
export function citationsIn(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  return commentsOf(source).flatMap(({ start, comment }) =>
    citedIn(comment).map(({ offset, number }) => ({
      line: source.getLineAndCharacterOfPosition(start + offset).line + 1,
      number,
    })),
  );
}

/**
 * Only what stands between two tokens is scanned for comments. In a whole file the scanner would take
 * a regular expression or a template for something else.
 * @param {ts.SourceFile} source
 * @returns {{ start: number, comment: string }[]}
 */
function commentsOf(source) {
  const { text } = source;
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false);
  /** @type {{ start: number, comment: string }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const children = node.getChildren(source).filter((child) => !ts.isJSDoc(child));
    if (children.length > 0) {
      children.forEach(visit);
      return;
    }
    const from = node.getFullStart();
    const length = node.getStart(source) - from;
    if (length <= 0) return;
    scanner.setText(text, from, length);
    for (let kind = scanner.scan(); kind !== END; kind = scanner.scan()) {
      if (COMMENTS.has(kind)) {
        found.push({ start: scanner.getTokenStart(), comment: scanner.getTokenText() });
      }
    }
  };
  visit(source);
  return found;
}

const END = ts.SyntaxKind.EndOfFileToken;
const COMMENTS = new Set([
  ts.SyntaxKind.SingleLineCommentTrivia,
  ts.SyntaxKind.MultiLineCommentTrivia,
]);

/** `hooks[0]` is an index: what cites stands by itself, or behind another citation. */
const BRACKETED = /(?<=[\s\]])\[(\d{1,2})\](?!\()/g;
const NAMED = /\binvariants?\s+(\d+(?:(?:\s*,\s*|\s+and\s+)\d+)*)/gi;

/**
 * Offsets are those in the comment, so what is left out is replaced by blanks.
 * @param {string} comment
 */
function citedIn(comment) {
  const prose = comment.replace(/^[ \t]*\*+/gm, blank).replace(/`[^`]*`/g, blank);
  const bracketed = [...prose.matchAll(BRACKETED)].map((match) => ({
    offset: match.index,
    number: Number(match[1]),
  }));
  const named = [...prose.matchAll(NAMED)].flatMap((match) =>
    (match[1] ?? '').split(/\D+/).map((number) => ({
      offset: match.index,
      number: Number(number),
    })),
  );
  return [...bracketed, ...named];
}

/** @param {string} text */
const blank = (text) => text.replace(/[^\n]/g, ' ');

/**
 * @param {string} file
 * @param {string} text
 * @param {ReadonlyMap<number, string>} invariants
 * @returns {Fault[]}
 */
export function undefinedIn(file, text, invariants) {
  return citationsIn(file, text)
    .filter(({ number }) => !invariants.has(number))
    .map(({ line, number }) => ({
      file,
      line,
      why: `${PAGE} defines no invariant ${number} (an index is written in backticks)`,
    }));
}

/** @param {string} root */
function sourceFiles(root) {
  const folders = ['packages', 'examples', 'test', 'bench', 'scripts'];
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => posix.join(folder, name))
        .filter((path) => /\.(ts|mjs|cjs|js)$/.test(path) && !/\/(dist|node_modules)\//.test(path)),
    );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const { invariants, faults } = definedIn(readFileSync(join(root, PAGE), 'utf8'));
  const files = sourceFiles(root).map((file) => ({
    file,
    text: readFileSync(join(root, file), 'utf8'),
  }));
  const found = [
    ...faults,
    ...files.flatMap(({ file, text }) => undefinedIn(file, text, invariants)),
  ];
  for (const { file, line, why } of found) process.stderr.write(`${file}:${line}: ${why}\n`);
  const cited = files.flatMap(({ file, text }) => citationsIn(file, text)).length;
  process.stdout.write(
    `${invariants.size} invariants, ${cited} citations, ${found.length} wrong\n`,
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}
