/**
 * Pages whose commands are run: what is in their blocks, and a fleet to run it on.
 * Which page says what, and what must come of it, is for each test.
 */
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect } from 'vitest';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

export const readPage = (path: string): string => readFileSync(join(repository, path), 'utf8');

export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, text = '']) => text,
  );

export const commandsOf = (page: string): string[] =>
  blocksOf(page, 'sh')
    .flatMap((block) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '');

/** A copy of the example fleet, removed after all tests of the file. */
export function exampleFleet(): string {
  const root = mkdtempSync(join(tmpdir(), 'fleet-page-'));
  cpSync(join(repository, 'profiles.example'), root, { recursive: true });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  return root;
}

/** Runs a line of a page, of which the command is `npx fleet` and the root is `DIR`. */
export function runFleet(line: string, root: string): SpawnSyncReturns<string> {
  const words = line.replaceAll('DIR', root);
  const command = words.replace(/^npx fleet/, `node ${repository}packages/fleet-cli/bin/fleet.js`);
  const env = { ...process.env, FLEET_HOLDER: 'reader' };
  return spawnSync('/bin/sh', ['-c', command], { encoding: 'utf8', cwd: tmpdir(), env });
}

/** Runs them in their order. `answers`: what a command answers that is not "done". */
export function expectAnswers(
  commands: readonly string[],
  root: string,
  answers: Readonly<Record<string, number>> = {},
): void {
  for (const line of commands) {
    const { status, stderr } = runFleet(withHold(line, root), root);
    expect({ line, status, stderr }).toEqual({
      line,
      status: answers[line] ?? 0,
      stderr: expect.any(String),
    });
  }
}

/** `--hold ID` is meant for an id that the reader was shown; here it is the reader's own. */
function withHold(line: string, root: string): string {
  if (!line.includes('--hold ID')) return line;
  const { stdout } = runFleet('npx fleet --root DIR status --json', root);
  const id = /"id": "([^"]+)",\s+"holder": "reader"/.exec(stdout)?.[1];
  expect(id).toBeDefined();
  return line.replace('ID', id ?? '');
}
