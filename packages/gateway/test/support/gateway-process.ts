/**
 * A process with many gateways, each with its own link. It answers questions about their state.
 * Arguments: root, the name of the first, their number, and the profiles that each of them serves.
 */
import { openLink } from '../../src/index.ts';
import type { Answer } from './processes.ts';

const [root = '', prefix = '', count = '1', profiles = ''] = process.argv.slice(2);

const links = Array.from({ length: Number(count) }, (_, at) =>
  openLink({
    root,
    instance: `${prefix}${at}`,
    software: 'sample/1.0',
    profiles: () => profiles.split(',').map((name) => ({ name, doors: ['turn'], in_flight: 0 })),
    onState: () => {},
    retry: { firstMs: 50, mostMs: 200 },
    // Long, so that 200 gateways on a busy machine see changes by a notification or a push.
    sweepMs: 600_000,
  }),
);

process.on('message', () => {
  const answer: Answer = links.map((link) => ({
    link: link.status(),
    profiles: profiles.split(',').map((name) => link.state(name)?.engaged ?? null),
  }));
  process.send?.(answer);
});
process.on('disconnect', () => process.exit(0));
process.send?.([]);
