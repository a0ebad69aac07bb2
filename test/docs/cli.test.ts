/**
 * The tour of the `fleet` command is run, in the order in which a reader meets its commands. What
 * needs a watcher is run with one, in `cli-watcher.test.ts`.
 */
import { expect, test } from 'vitest';
import { commandsOf, exampleFleet, expectAnswers, readPage } from './page.ts';

const page = readPage('docs/cli.md').replace(/^## With a watcher\n.*?(?=^## )/ms, '');
const commands = commandsOf(page);
const root = exampleFleet();

/** At their places in the page. */
const ANSWERS = {
  // lane-a is still paused by itself, and the root is free.
  'npx fleet --root DIR resume': 0,
  // The bot's hold stands beside the one that is lifted.
  'npx fleet --root DIR resume --hold ID': 7,
  // Nothing is held any more at that place.
  'npx fleet --root DIR assert paused -p lane-a -p lane-b': 1,
};

test('the tour has commands, and every one of them is one of fleet', () => {
  expect(commands.length).toBeGreaterThan(20);
  expect(commands.filter((line) => !line.startsWith('npx fleet --root DIR '))).toEqual([]);
});

test('every command of the tour does what is written beside it', { timeout: 120_000 }, () => {
  expectAnswers(commands, root, ANSWERS);
});
