/**
 * The process of `fleet-watcher`: the only place that ends it.
 */
import { runWatcher } from './run.ts';

// Everything that matters is closed by now; other open handles must not keep the process alive.
process.exit(await runWatcher(process.argv.slice(2)));
