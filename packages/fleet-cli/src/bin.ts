/**
 * The entry point of the `fleet` command. Only this file sets the exit status or ends the process by a signal,
 * but for one that a look has caught (`assert drained`).
 * Everything else is `main.ts`.
 */
import { main } from './main.ts';

// Not awaited at the top level, so that this can be bundled as a script, which starts faster.
void main(process.argv.slice(2)).then(({ exit, endsBy }) => {
  process.exitCode = exit;
  if (endsBy !== undefined) process.kill(process.pid, endsBy);
});
