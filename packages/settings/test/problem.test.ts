/** A problem as one line for people. */
import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { describeProblem, readFleetSettings } from '../src/index.ts';
import { problemOf, settingsFolder } from './settings-folder.ts';

const { dir, readFleet } = settingsFolder();

it('a problem is shown with file, line, column, expectation and suggestion', async () => {
  const problem = problemOf(await readFleet('version: 1\nobserve: nativ\n'));
  expect(describeProblem(problem)).toBe(
    `${dir}/fleet.yaml:2:10: \`observe\` cannot be \`nativ\`; ` +
      'expected `auto`, `native`, `chokidar` or `poll` (did you mean `native`?)',
  );
});

it('a problem of a whole file is shown without a line, and without terminal control characters', async () => {
  mkdirSync(`${dir}/a\u001b[2J/fleet.yaml`, { recursive: true });
  const problem = problemOf(await readFleetSettings(`${dir}/a\u001b[2J`));
  expect(describeProblem(problem)).toBe(
    `${dir}/a\\u{1b}[2J/fleet.yaml: this is a folder; expected a regular file`,
  );
});
