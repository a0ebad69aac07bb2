/**
 * Shells that complete the words of `fleet`: real ones, on a terminal of their own.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCHER, PERSON, temporaryFolder } from './fleet.ts';
import { startProcess } from './live.ts';

const PTY = fileURLToPath(new URL('on-a-terminal.py', import.meta.url));

export const isInstalled = (shell: string): boolean =>
  spawnSync(shell, ['-c', 'true']).error === undefined;

/** A folder in which `fleet` is the built command. */
export function fleetOnPath(): string {
  const folder = temporaryFolder();
  const command = join(folder, 'fleet');
  writeFileSync(command, `#!/bin/sh\nexec '${process.execPath}' '${LAUNCHER}' "$@"\n`);
  chmodSync(command, 0o755);
  return `${folder}${delimiter}${process.env['PATH'] ?? ''}`;
}

const START = {
  bash: ['bash', '--norc', '--noprofile', '-i'],
  zsh: ['zsh', '-f', '-i'],
} as const;
const LOAD = {
  bash: 'source <(fleet completion bash)',
  zsh: 'autoload -Uz compinit; compinit -u -D; source <(fleet completion zsh)',
} as const;

export interface Shell {
  /** Types these keys, in which a tab is a tab, and waits until the terminal shows `expected`. */
  types(keys: string, expected: string): Promise<void>;
}

/** Milliseconds after which what was expected is not waited for any more. */
const PATIENCE_MS = 15_000;

export async function startShell(name: keyof typeof START, root: string): Promise<Shell> {
  const env = { ...PERSON, PATH: fleetOnPath(), FLEET_ROOT: root, TERM: 'dumb' };
  // The shell's alone: python may be installed in its home, and started by a shell that has no prompt.
  const command = ['env', `HOME=${temporaryFolder()}`, 'PS1=> ', ...START[name]];
  const live = startProcess('python3', [PTY, '24', '200', ...command], { env });
  const press = (keys: string): void => live.write(`press ${Buffer.from(keys).toString('hex')}\n`);
  const shows = (expected: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        const shown = JSON.stringify(`${live.stdout()}${live.stderr()}`);
        reject(new Error(`the terminal does not show \`${expected}\`, but ${shown}`));
      }, PATIENCE_MS);
      live.prints(expected).then(() => {
        clearTimeout(late);
        resolve();
      }, reject);
    });
  await shows('> ');
  press(`${LOAD[name]}; echo load''ed\r`);
  await shows('loaded');
  return {
    async types(keys, expected) {
      press(keys);
      await shows(expected);
      // Ctrl-U: the line is not wanted any more.
      press('\u0015');
    },
  };
}
