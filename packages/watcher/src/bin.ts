/**
 * The process of `fleet-watcher`: the only place that ends it.
 */
import { runWatcher } from './run.ts';

// All that matters is closed by now; what is still open must not keep a process that was to leave.
process.exit(await runWatcher(process.argv.slice(2)));
