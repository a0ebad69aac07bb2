/**
 * A process beside the command, in our process group, that dies of whatever is sent to the group.
 *
 * A signal does not say whether it went to this process alone or to its whole group: Ctrl-C, a shell
 * that hangs up, `timeout` and a service manager that stops all it has started reach the command by
 * themselves, and handing their signal on would deliver it twice, which many programs take for "at
 * once, and without tidying up". `kill` on our process id reaches us alone. What the witness died of
 * tells the two apart.
 */
import { spawn } from 'node:child_process';

/** Waits for the end of its input, which comes when we end, however we end. Leaves no core file. */
const SCRIPT = 'ulimit -c 0; read -r _';

/** Tells what it died of; null: it could not be started, or died of something else. Returns its end. */
export function startWitness(onDeath: (signal: NodeJS.Signals | null) => void): () => void {
  let ended = false;
  const once = (signal: NodeJS.Signals | null): void => {
    if (ended) return;
    ended = true;
    onDeath(signal);
  };
  try {
    const witness = spawn('/bin/sh', ['-c', SCRIPT], {
      cwd: '/',
      env: {},
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    witness.on('error', () => once(null));
    witness.on('exit', (_code, signal) => once(signal));
    witness.stdin.on('error', () => {});
    witness.unref();
    return () => {
      ended = true;
      witness.stdin.destroy();
    };
  } catch {
    // No processes or files are left. The command runs all the same.
    setImmediate(once, null);
    return () => {
      ended = true;
    };
  }
}
