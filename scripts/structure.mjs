/**
 * Measures how each package is built, by the imports of its source, those of types included:
 * - rooms: folders of `src` (`verbs/pause` is one of its own), and each file beside them;
 * - floors: how many rooms stand above one another, along the longest way of imports;
 * - back arrows: imports between rooms that close a circle of rooms;
 * - circles: groups of files that import each other, directly or not.
 * Which imports a room may make is `check-imports.mjs`. Exits with 1 where there is a back arrow or a circle.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { importsOf } from './check-imports.mjs';

/** @typedef {Map<string, Set<string>>} Graph */

/**
 * @param {ReadonlyMap<string, string>} files path below `src` to text
 */
export function structureOf(files) {
  /** @type {Graph} */
  const byFile = new Map([...files.keys()].map((file) => [file, new Set()]));
  /** @type {Graph} */
  const byRoom = new Map([...files.keys()].map((file) => [roomOf(file), new Set()]));
  /** @type {{ from: string, to: string }[]} */
  const arrows = [];
  for (const [file, text] of files) {
    for (const { specifier } of importsOf(file, text)) {
      if (!specifier.startsWith('.')) continue;
      const target = posix.join(posix.dirname(file), specifier);
      if (!files.has(target) || target === file) continue;
      byFile.get(file)?.add(target);
      if (roomOf(target) === roomOf(file)) continue;
      byRoom.get(roomOf(file))?.add(roomOf(target));
      arrows.push({ from: file, to: target });
    }
  }
  const groups = circlesIn(byRoom);
  const backArrows = arrows.filter(({ from, to }) =>
    groups.some((group) => group.includes(roomOf(from)) && group.includes(roomOf(to))),
  );
  return { rooms: byRoom.size, floors: floorsOf(byRoom), backArrows, circles: circlesIn(byFile) };
}

/** @param {string} file */
function roomOf(file) {
  const parts = file.split('/');
  if (parts.length === 1) return file;
  return parts[0] === 'verbs' && parts.length > 2 ? `verbs/${parts[1]}` : `${parts[0]}`;
}

/**
 * Groups of more than one node that can reach each other (Tarjan's strongly connected components).
 * @param {Graph} graph
 */
function circlesIn(graph) {
  /** @type {Map<string, { index: number, low: number, open: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const stack = [];
  /** @type {string[][]} */
  const groups = [];
  /** @param {string} node */
  const visit = (node) => {
    const mark = { index: seen.size, low: seen.size, open: true };
    seen.set(node, mark);
    stack.push(node);
    for (const next of graph.get(node) ?? []) {
      const known = seen.get(next);
      if (known === undefined) mark.low = Math.min(mark.low, visit(next).low);
      else if (known.open) mark.low = Math.min(mark.low, known.index);
    }
    if (mark.low === mark.index) {
      const group = stack.splice(stack.indexOf(node));
      for (const member of group) /** @type {{ open: boolean }} */ (seen.get(member)).open = false;
      if (group.length > 1) groups.push(group.sort());
    }
    return mark;
  };
  for (const node of graph.keys()) if (!seen.has(node)) visit(node);
  return groups;
}

/**
 * Rooms of one circle stand on one floor.
 * @param {Graph} graph
 */
function floorsOf(graph) {
  const groups = circlesIn(graph);
  /** @param {string} node */
  const groupOf = (node) => groups.find((group) => group.includes(node)) ?? [node];
  /** @type {Map<string, number>} */
  const heights = new Map();
  /** @param {string} node @returns {number} */
  const heightOf = (node) => {
    const group = groupOf(node);
    const key = group.join();
    const known = heights.get(key);
    if (known !== undefined) return known;
    const below = group.flatMap((member) => [...(graph.get(member) ?? [])]);
    const height = 1 + Math.max(0, ...below.filter((one) => !group.includes(one)).map(heightOf));
    heights.set(key, height);
    return height;
  };
  return Math.max(0, ...[...graph.keys()].map(heightOf));
}

/** @param {string} folder */
function sourceOf(folder) {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const files = names
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.m?[jt]s$/.test(name));
  return new Map(files.sort().map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const packages = fileURLToPath(new URL('../packages', import.meta.url));
  let isClean = true;
  for (const name of readdirSync(packages).sort()) {
    const source = join(packages, name, 'src');
    if (!existsSync(source)) continue;
    const files = sourceOf(source);
    const { rooms, floors, backArrows, circles } = structureOf(files);
    const lines = [...files.values()].reduce((sum, text) => sum + text.split('\n').length - 1, 0);
    process.stdout.write(
      `${name}: ${files.size} files, ${lines} lines, ${rooms} rooms, ${floors} floors, ${backArrows.length} back arrows, ${circles.length} circles\n`,
    );
    for (const { from, to } of backArrows) process.stdout.write(`  back arrow: ${from} -> ${to}\n`);
    for (const group of circles) process.stdout.write(`  circle: ${group.join(', ')}\n`);
    if (backArrows.length > 0 || circles.length > 0) isClean = false;
  }
  process.exitCode = isClean ? 0 : 1;
}
