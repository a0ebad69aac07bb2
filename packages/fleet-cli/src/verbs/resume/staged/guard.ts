/**
 * Runs the command of `--abort-if` between two waves. Its output goes to stderr, since stdout is the
 * answer's.
 */
import { spawn } from 'node:child_process';

/** Why the rest must stay held; null: the command ended with 0. */
export function runGuard(
  command: string,
  wave: number,
  signal: AbortSignal,
): Promise<string | null> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', command], {
      stdio: ['ignore', 2, 2],
      env: { ...process.env, FLEET_WAVE: String(wave) },
    });
    const end = () => child.kill('SIGTERM');
    signal.addEventListener('abort', end);
    const answer = (why: string | null) => {
      signal.removeEventListener('abort', end);
      resolve(why);
    };
    child.once('error', ({ message }) => answer(`\`${command}\` could not be run: ${message}`));
    child.once('exit', (code, killedBy) => {
      if (code === 0) return answer(null);
      answer(
        `\`${command}\` ${killedBy === null ? `ended with ${code}` : `was ended by ${killedBy}`}`,
      );
    });
  });
}
