/**
 * What the import-direction rule forbids and lets pass.
 * The table of rooms itself is the rule's own file.
 */
import { expect, test } from 'vitest';
import { violations } from '../check-imports.mjs';

const core = 'packages/sentinel-core/src';

function forbidden(file: string, text: string): string[] {
  return violations(file, text).map(({ line, specifier }) => `${line} ${specifier}`);
}

test('a room may import itself and the rooms in its row', () => {
  const text = "import { a } from './b.ts';\nimport { c } from '../model/c.ts';";
  expect(forbidden(`${core}/disk/a.ts`, text)).toEqual([]);
});

test.each([
  ['the model takes nothing from the disk', 'model', '../disk/check.ts'],
  ['the model takes nothing from Node', 'model', 'node:fs'],
  ['a built-in module without its prefix is one of Node all the same', 'model', 'fs'],
  ['the decision takes nothing from Node', 'decide', 'node:path'],
  ['the decision takes no values from the disk', 'decide', '../disk/check.ts'],
  ['the disk takes nothing from the decision', 'disk', '../decide/admit.ts'],
  ['the fleet takes nothing from the disk', 'fleet', '../disk/port.ts'],
  ['the core takes no package', 'disk', 'commander'],
])('%s', (_title, room, specifier) => {
  const text = `\nimport { x } from '${specifier}';`;
  expect(forbidden(`${core}/${room}/a.ts`, text)).toEqual([`2 ${specifier}`]);
});

test('the decision takes nothing from the disk, types included', () => {
  const specifier = '../disk/results.ts';
  const file = `${core}/decide/a.ts`;
  expect(forbidden(file, `import type { R } from '${specifier}';`)).toEqual([`1 ${specifier}`]);
});

test('where a room may name types, it may name only types', () => {
  const specifier = '../gate/gate.ts';
  const file = 'packages/gateway/src/kit/a.ts';
  expect(forbidden(file, `import type { G } from '${specifier}';`)).toEqual([]);
  expect(forbidden(file, `import { G } from '${specifier}';`)).toEqual([`1 ${specifier}`]);
});

test('a verb of the command line knows no other verb', () => {
  const file = 'packages/fleet-cli/src/verbs/pause/a.ts';
  expect(forbidden(file, "import { x } from '../resume/b.ts';")).toEqual(['1 ../resume/b.ts']);
  expect(forbidden(file, "import { x } from './b.ts';")).toEqual([]);
});

test('re-exports, lazy imports and types by import are imports', () => {
  const text = [
    "export { a } from 'node:fs';",
    "const b = await import('node:fs');",
    "type C = import('node:fs').Stats;",
  ].join('\n');
  expect(forbidden(`${core}/model/a.ts`, text)).toEqual(['1 node:fs', '2 node:fs', '3 node:fs']);
});

test('a comment or a text that looks like an import is none', () => {
  const text = "// import 'node:fs'\nconst a = \"import 'node:fs'\";";
  expect(forbidden(`${core}/model/a.ts`, text)).toEqual([]);
});

test('another package is reached by its name only, in tests too', () => {
  const path = '../../sentinel-core/src/index.ts';
  expect(forbidden('packages/watcher/src/a.ts', `import '${path}';`)).toEqual([`1 ${path}`]);
  expect(forbidden('packages/watcher/test/a.ts', `import '${path}';`)).toEqual([`1 ${path}`]);
  const fromRoot = '../packages/sentinel-core/src/index.ts';
  expect(forbidden('bench/main.ts', `import '${fromRoot}';`)).toEqual([`1 ${fromRoot}`]);
  expect(forbidden('bench/main.ts', "import '@fleet-estop/sentinel-core';")).toEqual([]);
});

test('nothing imports the command line', () => {
  const name = '@fleet-estop/fleet-cli';
  expect(forbidden('packages/watcher/src/a.ts', `import '${name}';`)).toEqual([`1 ${name}`]);
  expect(forbidden('test/a.ts', `import '${name}';`)).toEqual([`1 ${name}`]);
});

test('a source folder without a row in the table is a violation', () => {
  expect(violations('packages/new/src/a.ts', '')).toHaveLength(1);
  expect(violations(`${core}/loose.ts`, '')).toHaveLength(1);
});
