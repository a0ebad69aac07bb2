/**
 * Starts a witness: a process in our process group that is killed by every signal to the group.
 *
 * A signal does not say whether it was sent to this process alone or to its whole group. Ctrl-C, a shell that
 * hangs up, `timeout` and a service manager signal the group, so the command receives the signal by itself.
 * Passing it on would deliver it twice, which many programs take as "stop without cleaning up". `kill` on our
 * process id reaches only us. If the witness died of the same signal, it went to the group.
 */
import { spawn } from 'node:child_process';

/** Waits for the end of its input, which comes when this process ends, however it ends. Leaves no core file. */
const SCRIPT = 'ulimit -c 0; read -r _';

/**
 * Calls `onDeath` with the signal that killed it; null: it could not be started, or ended otherwise.
 * Returns a function that ends it.
 */
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
    // The host has no process or file descriptor left. The command may still run.
    setImmediate(once, null);
    return () => {
      ended = true;
    };
  }
}
