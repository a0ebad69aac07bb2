/** A temporary folder for a test file, with settings in it as real files. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { readFleetSettings, readProfileSettings, type SettingsFile } from '../src/index.ts';
import type { Problem } from '../src/problem.ts';

export function settingsFolder() {
  const dir = mkdtempSync(join(tmpdir(), 'fleet-settings-'));
  afterAll(() => rmSync(dir, { recursive: true }));
  return {
    dir,
    readFleet(content: string | Uint8Array) {
      writeFileSync(join(dir, 'fleet.yaml'), content);
      return readFleetSettings(dir);
    },
    readProfile(content: string | Uint8Array) {
      writeFileSync(join(dir, 'profile.yaml'), content);
      return readProfileSettings(dir);
    },
  };
}

export function settingsOf<T>(file: SettingsFile<T>): T {
  if (file.state === 'read') return file.settings;
  throw new Error(`not read: ${JSON.stringify(file)}`);
}

export function problemsOf(file: SettingsFile<unknown>): readonly Problem[] {
  if (file.state === 'rejected') return file.problems;
  throw new Error(`not rejected: ${JSON.stringify(file)}`);
}

/** The one problem of a file that must have exactly one. */
export function problemOf(file: SettingsFile<unknown>): Problem {
  const [problem, ...others] = problemsOf(file);
  if (problem !== undefined && others.length === 0) return problem;
  throw new Error(`not one problem: ${JSON.stringify(file)}`);
}

/** `code line:column key` of each problem, which fits on one line of a table. */
export const outline = (file: SettingsFile<unknown>): string[] =>
  problemsOf(file).map(
    ({ code, line, column, key }) => `${code} ${line}:${column}${key === '' ? '' : ` ${key}`}`,
  );
