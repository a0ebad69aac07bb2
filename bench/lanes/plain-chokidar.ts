/**
 * What one would write without thinking: chokidar on the whole fleet, listening for sentinels.
 */
import { basename } from 'node:path';
import { watch } from 'chokidar';

const [root = ''] = process.argv.slice(2);
watch(root, { ignoreInitial: true })
  .on('all', (_event, path) => {
    if (basename(path) === 'ESTOP') process.stdout.write(`${path}\n`);
  })
  .on('ready', () => process.send?.({ ready: true }));
process.on('disconnect', () => process.exit());
