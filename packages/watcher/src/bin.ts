/**
 * The process of `fleet-watcher`: the only place that sets its exit status.
 */
import { runWatcher } from './run.ts';

process.exitCode = await runWatcher(process.argv.slice(2));
