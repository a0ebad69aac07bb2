/** A watcher that serves: prints its address, and runs until it is killed. */
import { startWatcher } from '../../src/daemon.ts';
import { pushRoom } from '../../src/push/room.ts';
import { serveRoom } from '../../src/serve/room.ts';

const [root = '', port = '0', heartbeatMs = '500'] = process.argv.slice(2);
const silent = { debug() {}, info() {}, warn() {}, error() {} };
let served = '';
const serve = serveRoom({
  port: Number(port),
  heartbeatMs: Number(heartbeatMs),
  keepMs: 100,
  served: (url) => {
    served = url;
  },
});
const start = await startWatcher({ root, log: silent, sweepMs: 1_000, rooms: [pushRoom, serve] });
if (!start.started) process.exit(1);
// Only now gateways can connect, too.
process.stdout.write(`${served}\n`);
process.once('SIGTERM', () => void start.watcher.close());
