/**
 * A gateway process with a fault: its author's functions throw, or only the link would keep it alive.
 * Arguments: root, `throws` or `short-lived`.
 */
import { openLink } from '../../src/index.ts';
import type { Odd } from './processes.ts';

const [root = '', oddity] = process.argv.slice(2);
const uncaught: string[] = [];

const link = openLink({
  root,
  software: 'sample/1.0',
  profiles: () => [{ name: 'a', doors: [], in_flight: 0 }],
  onState() {
    if (oddity === 'throws') throw new Error('onState');
  },
  keepAlive: oddity !== 'short-lived',
  sweepMs: 600_000,
});

process.on('uncaughtException', ({ message }) => uncaught.push(message));
process.on('message', () => {
  const odd: Odd = { engaged: link.state('a')?.engaged ?? null, uncaught };
  process.send?.(odd);
});
// A link that keeps the process alive must be ended from outside.
process.on('disconnect', () => {
  if (oddity === 'throws') process.exit(0);
});
process.send?.({ engaged: null, uncaught });
