/**
 * A serving watcher: prints its address, and runs until it is killed.
 */
import { startWatcher } from '../../src/daemon.ts';
import { pushService } from '../../src/push/service.ts';
import { httpService } from '../../src/serve/service.ts';

const [root = '', port = '0', heartbeatMs = '500', streamLimits = '{}'] = process.argv.slice(2);
const silent = { debug() {}, info() {}, warn() {}, error() {} };
let served = '';
const serve = httpService({
  port: Number(port),
  heartbeatMs: Number(heartbeatMs),
  keepMs: 100,
  streamLimits: JSON.parse(streamLimits),
  served: (url) => {
    served = url;
  },
});
const start = await startWatcher({
  startingMs: 0,
  root,
  log: silent,
  sweepMs: 1_000,
  services: [pushService, serve],
});
if (!start.started) process.exit(1);
// Only now gateways can connect, too.
process.stdout.write(`${served}\n`);
process.once('SIGTERM', () => void start.watcher.close());
