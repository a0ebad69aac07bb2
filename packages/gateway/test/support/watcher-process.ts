/** A complete watcher in its own process, which can be killed. Arguments: root. */
import { type Log, pushService, startWatcher } from '@fleet-estop/watcher';

const nothing = () => {};
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing } as unknown as Log;

const started = await startWatcher({
  root: process.argv[2] ?? '',
  log,
  observe: 'native',
  services: [pushService],
});
if (!started.started) throw new Error('another watcher has this root');
process.on('message', () => process.send?.(started.watcher.store.snapshot().gateways));
process.on('disconnect', () => process.exit(0));
process.send?.([]);
