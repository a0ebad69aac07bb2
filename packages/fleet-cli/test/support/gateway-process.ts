/**
 * A gateway as a process of its own: it serves profiles, and acknowledges what its disk agrees with.
 * `DISK`: it looks at another root than the watcher's, whose `SOCKET` it uses all the same.
 * Words: root, its instance, and its profiles with the work in hand of each, such as `lane-a=3,lane-b=0`.
 */
import { openLink } from '@fleet-estop/gateway';

const { DISK, SOCKET, SOFTWARE } = process.env;
const [root = '', instance = '', words = ''] = process.argv.slice(2);
const profiles = words.split(',').map((word) => {
  const [name = '', inFlight = '0'] = word.split('=');
  return { name, doors: ['turn'], in_flight: Number(inFlight) };
});

openLink({
  root: DISK ?? root,
  instance,
  software: SOFTWARE ?? 'sample/1.0',
  ...(SOCKET === undefined ? {} : { socketPath: SOCKET }),
  profiles: () => profiles,
  onState: () => {},
  onLink: ({ link }) => process.send?.(link),
  retry: { firstMs: 10, mostMs: 50 },
});
process.on('disconnect', () => process.exit(0));
