/**
 * Finds the id of a group by its name, which Node cannot do.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { usageError } from '../../cli/values.ts';

/** Valid group names, none of which can be mistaken for an option. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

export interface Group {
  readonly name: string;
  readonly id: number;
}

export function readGroup(text: string): string {
  if (NAME.test(text)) return text;
  throw usageError(`\`${text}\` cannot be a group`, 'give the name of a group of this host');
}

/** Throws VALUE_INVALID for a group that does not exist, or that this user is not in. */
export function findGroup(name: string): Group {
  const id = idOf(name);
  if (id === null) {
    throw usageError(
      `there is no group \`${name}\` on this host`,
      'make it first, or name another',
    );
  }
  const own = [process.getegid?.(), ...(process.getgroups?.() ?? [])];
  if (process.geteuid?.() === 0 || own.includes(id)) return { name, id };
  throw usageError(
    `this user is not in the group \`${name}\``,
    'be added to it and log in again, or name a group that you are in',
  );
}

/** Asks the host's tools, because groups may come from elsewhere than /etc/group. */
function idOf(name: string): number | null {
  if (process.platform === 'darwin') {
    const answer = outputOf('dscl', ['.', '-read', `/Groups/${name}`, 'PrimaryGroupID']);
    return numberIn(/^PrimaryGroupID: (\d+)$/m, answer ?? '');
  }
  const found = outputOf('getent', ['group', name]) ?? lineOf(name);
  return numberIn(/^[^:]*:[^:]*:(\d+):/, found);
}

/** The output of a command; null: the command does not exist here. */
function outputOf(command: string, words: readonly string[]): string | null {
  const { error, stdout } = spawnSync(command, words, { encoding: 'utf8', timeout: 10_000 });
  return error === undefined ? stdout : null;
}

const lineOf = (name: string): string =>
  readFileSync('/etc/group', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`)) ?? '';

function numberIn(pattern: RegExp, text: string): number | null {
  const digits = pattern.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}
