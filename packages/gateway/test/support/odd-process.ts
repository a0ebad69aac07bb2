/**
 * A gateway's process with an oddity: its author's functions throw, or nothing but the link would
 * keep it alive. Words: root, `throws` or `short-lived`.
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
// The link goes on where it is to keep the process alive: then it takes an end to end it.
process.on('disconnect', () => {
  if (oddity === 'throws') process.exit(0);
});
process.send?.({ engaged: null, uncaught });
