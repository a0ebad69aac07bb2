/**
 * A gateway as a process of its own: it serves lanes, and acknowledges what its disk agrees with.
 * Words: root, its instance, and its lanes with the work in hand of each, such as `lane-a=3,lane-b=0`.
 */
import { openLink } from '@fleet-estop/gateway';

const [root = '', instance = '', words = ''] = process.argv.slice(2);
const profiles = words.split(',').map((word) => {
  const [name = '', inFlight = '0'] = word.split('=');
  return { name, doors: ['turn'], in_flight: Number(inFlight) };
});

openLink({
  root,
  instance,
  software: process.env['SOFTWARE'] ?? 'sample/1.0',
  profiles: () => profiles,
  onState: () => {},
  onLink: ({ link }) => process.send?.(link),
  retry: { firstMs: 10, mostMs: 50 },
});
process.on('disconnect', () => process.exit(0));
