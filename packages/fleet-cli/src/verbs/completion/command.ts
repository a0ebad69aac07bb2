/**
 * `fleet completion`: prints a completion script for a shell.
 * The script calls `fleet __complete`, and the suggestions come from `completion/`.
 */
import { Argument, type Command } from 'commander';
import type { Answer } from '../../cli/answer.ts';
import { EXIT } from '../../cli/exit-codes.ts';
import type { Verb } from '../../cli/verb.ts';
import { SHELLS, type Shell, scriptFor } from './scripts.ts';

export const completion: Verb = {
  description:
    'Print a script that makes a shell complete verbs, options, profiles, labels and holders.',
  examples: [
    'source <(fleet completion bash)      # in ~/.bashrc',
    'source <(fleet completion zsh)       # in ~/.zshrc, after compinit',
    'fleet completion fish > ~/.config/fish/completions/fleet.fish',
  ],
  configure: (command) =>
    void command.addArgument(new Argument('<shell>', 'which shell').choices(SHELLS)),
  run,
};

function run(command: Command): Answer {
  const shell = command.args[0] as Shell;
  const script = scriptFor(shell);
  return {
    exit: EXIT.done,
    document: () => ({ schema: 'fleet/completion/v1', shell, script }),
    lines: () => script.trimEnd().split('\n'),
    notices: [],
  };
}
