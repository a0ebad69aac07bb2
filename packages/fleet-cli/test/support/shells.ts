/**
 * Shells that complete the words of `fleet`: real ones, on a terminal of their own.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LAUNCHER, temporaryFolder } from './fleet.ts';
import { type Live, startProcess } from './live.ts';

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
  readonly live: Live;
  /** Types these keys, in which a tab is a tab, and waits until the terminal shows `expected`. */
  types(keys: string, expected: string): Promise<void>;
}

export async function startShell(name: keyof typeof START, root: string): Promise<Shell> {
  const env = {
    PATH: fleetOnPath(),
    FLEET_ROOT: root,
    TERM: 'dumb',
    PS1: '> ',
  };
  // Not python's own home: it may be there that it is installed.
  const command = ['env', `HOME=${temporaryFolder()}`, ...START[name]];
  const live = startProcess('python3', [PTY, '24', '200', ...command], { env });
  const press = (keys: string): void => live.write(`press ${Buffer.from(keys).toString('hex')}\n`);
  await live.prints('> ');
  press(`${LOAD[name]}; echo load''ed\r`);
  await live.prints('loaded');
  return {
    live,
    async types(keys, expected) {
      press(keys);
      await live.prints(expected);
      // Ctrl-U: the line is not wanted any more.
      press('\u0015');
    },
  };
}
