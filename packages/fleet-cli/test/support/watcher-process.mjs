/**
 * `fleet-watcher`, which does not wait for gateways of an earlier watcher after its start. Every other test would
 * have to wait six seconds for it.
 */
import { runWatcher } from '@fleet-estop/watcher';

process.exit(await runWatcher(process.argv.slice(2), { startingMs: 0 }));
