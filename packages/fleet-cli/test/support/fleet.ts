/**
 * A fleet in a temporary folder, and the built `fleet` command as a real process on it.
 * What sentinels say is read back as plain JSON, with none of our code.
 */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { documents } from '@fleet-estop/protocol/schemas';
import { afterAll, expect, onTestFinished } from 'vitest';

export const LAUNCHER = fileURLToPath(new URL('../../bin/fleet.js', import.meta.url));

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** As a user for whom file modes count. */
  readonly ordinary?: boolean;
  /** A file descriptor in place of the pipe that stdout goes to. */
  readonly stdout?: number;
}

export interface Fleet {
  readonly root: string;
  /** Runs `fleet --root <root> …`. */
  run(words: readonly string[], options?: RunOptions): Outcome;
  /** The same with `--json`; fails where stdout is not one document. */
  json(words: readonly string[], options?: RunOptions): { code: number | null; document: Document };
  /** The folder of a profile, or the root. */
  folder(lane?: string): string;
  sentinel(lane?: string): string;
}

// biome-ignore lint/suspicious/noExplicitAny: a document's shape is what the tests are about
export type Document = any;

/** Who runs every command, unless a test says otherwise: the holder is one name on every machine. */
export const PERSON = { USER: 'tester', FLEET_HOLDER: 'operator' } as const;

/** `nobody`, by convention. */
const NOBODY = 65_534;
const isSuperuser = process.getuid?.() === 0;

/** A real path, removed when the test has finished; others may enter it. */
export function temporaryFolder(
  removeLater: (remove: () => void) => void = onTestFinished,
): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-cli-')));
  chmodSync(folder, 0o755);
  removeLater(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export const makeFleet = (...lanes: readonly string[]): Fleet =>
  withLanes(temporaryFolder(), lanes);

/** For a whole table of cases, none of which may change it. Called where tests are described. */
export const shareFleet = (...lanes: readonly string[]): Fleet =>
  withLanes(temporaryFolder(afterAll), lanes);

function withLanes(root: string, lanes: readonly string[]): Fleet {
  mkdirSync(join(root, 'profiles'));
  for (const lane of lanes) mkdirSync(join(root, 'profiles', lane), { recursive: true });
  return fleetAt(root);
}

export function fleetAt(root: string): Fleet {
  const folder = (lane?: string) => (lane === undefined ? root : join(root, 'profiles', lane));
  const run: Fleet['run'] = (words, options) => runFleet(['--root', root, ...words], options);
  return {
    root,
    run,
    json(words, options) {
      const { code, stdout } = run([...words, '--json'], options);
      return { code, document: described(JSON.parse(stdout)) };
    },
    folder,
    sentinel: (lane) => join(folder(lane), 'ESTOP'),
  };
}

/** Fails where a document has other keys or values than its schema. */
function described(document: Document): Document {
  const name: string = document.schema;
  expect([name, documents[name]?.safeParse(document).error?.issues]).toEqual([name, undefined]);
  return document;
}

/** Nothing of this process's environment reaches the command. */
export function runFleet(words: readonly string[], options: RunOptions = {}): Outcome {
  return outcomeOf(process.execPath, [LAUNCHER, ...words], options);
}

/** Runs this before the command, in its own process. */
export function preloaded(code: string): RunOptions {
  const file = join(temporaryFolder(), 'preload.cjs');
  writeFileSync(file, code);
  return { env: { NODE_OPTIONS: `--require=${file}` } };
}

/** A process whose wall clock is ahead, and nothing else of it. */
export const aheadByHours = (hours: number): RunOptions =>
  preloaded(`const now = Date.now; Date.now = () => now() + ${hours * 3_600_000};`);

/** Runs a line of bash in which `"$@"` is the command. */
export function runInShell(
  line: string,
  words: readonly string[],
  options: RunOptions = {},
): Outcome {
  return outcomeOf('bash', ['-c', line, 'bash', process.execPath, LAUNCHER, ...words], options);
}

function outcomeOf(
  command: string,
  args: readonly string[],
  { env = {}, cwd, ordinary = false, stdout }: RunOptions,
): Outcome {
  const result = spawnSync(command, args, {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ...PERSON, TZ: 'UTC', ...env },
    cwd: cwd ?? tmpdir(),
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', stdout ?? 'pipe', 'pipe'],
    ...(ordinary && isSuperuser ? { uid: NOBODY, gid: NOBODY } : {}),
  });
  if (result.error !== undefined) throw result.error;
  return { code: result.status, stdout: result.stdout ?? '', stderr: result.stderr };
}

export const bodyOf = (path: string): Document => JSON.parse(readFileSync(path, 'utf8'));

/** The documents of a file that has one on each line. */
export const linesOf = (path: string): Document[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Whatever profiles there were, nobody can list them any more. */
export function spoilProfiles(root: string): void {
  rmSync(join(root, 'profiles'), { recursive: true });
  writeFileSync(join(root, 'profiles'), '');
}

/** What nobody can look at, not even root: a link where the owner of a tenure would be. */
export function spoil(sentinel: string): void {
  mkdirSync(join(dirname(sentinel), '.ESTOP.txn'));
  symlinkSync('nowhere', join(dirname(sentinel), '.ESTOP.txn', 'x'));
}

export const unspoil = (sentinel: string): void =>
  rmSync(join(dirname(sentinel), '.ESTOP.txn'), { recursive: true });

export function place(path: string, body: unknown): void {
  writeFileSync(path, typeof body === 'string' ? body : JSON.stringify(body));
}

export const exists = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false }) !== undefined;

/** Every path below a folder, to show that nothing was written anywhere. */
export const everythingBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true }).map(String).sort();

/** An instant as other tools write it. */
export const inSeconds = (seconds: number): string =>
  new Date(Date.now() + seconds * 1000).toISOString().replace('Z', '+00:00');

export const PASSED = '2020-01-01T00:00:00+00:00';

/** Anything that could move a cursor, turn text around or hide it. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
export const UNSAFE = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;
