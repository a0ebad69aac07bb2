import { expect, it } from 'vitest';
import { structureOf } from '../structure.mjs';

const structure = (files: Readonly<Record<string, string>>) =>
  structureOf(new Map(Object.entries(files)));

it('rooms that only import downwards have floors, no back arrow and no circle', () => {
  const { rooms, floors, backArrows, circles } = structure({
    'main.ts': "import './verbs/pause/command.ts';",
    'verbs/pause/command.ts': "import './text.ts'; import '../../text/table.ts';",
    'verbs/pause/text.ts': "import '../../text/table.ts';",
    'text/table.ts': "import 'node:fs';",
  });
  expect({ rooms, floors, backArrows, circles }).toEqual({
    rooms: 3,
    floors: 3,
    backArrows: [],
    circles: [],
  });
});

it('the verbs of a command line are rooms of their own', () => {
  const { rooms } = structure({ 'verbs/pause/a.ts': '', 'verbs/resume/b.ts': '', 'text/c.ts': '' });
  expect(rooms).toBe(3);
});

it('files that import each other are a circle, by types and by a dynamic import as well', () => {
  const { circles } = structure({
    'a/one.ts': "import type { Two } from './two.ts';",
    'a/two.ts': "export const load = () => import('./three.ts');",
    'a/three.ts': "export * from './one.ts';",
    'a/apart.ts': "import './one.ts';",
  });
  expect(circles).toEqual([['a/one.ts', 'a/three.ts', 'a/two.ts']]);
});

it('imports between two rooms that run both ways are back arrows, though no file is in a circle', () => {
  const { backArrows, circles } = structure({
    'a/one.ts': "import '../b/two.ts';",
    'b/two.ts': '',
    'b/three.ts': "import '../a/four.ts';",
    'a/four.ts': '',
  });
  expect(circles).toEqual([]);
  expect(backArrows).toEqual([
    { from: 'a/one.ts', to: 'b/two.ts' },
    { from: 'b/three.ts', to: 'a/four.ts' },
  ]);
});
