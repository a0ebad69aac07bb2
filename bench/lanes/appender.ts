/**
 * Work as lanes do it: lines appended to the logs of many profiles, evenly, so many a second in all.
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';

const [profiles = '', lanes = '1', perSecond = '1'] = process.argv.slice(2);
const TICK_MS = 10;
let done = 0;
const startedMs = performance.now();
setInterval(() => {
  const due = Math.floor(((performance.now() - startedMs) / 1_000) * Number(perSecond));
  for (; done < due; done++) {
    appendFileSync(join(profiles, `lane-${done % Number(lanes)}`, 'agent.log'), 'a line of work\n');
  }
}, TICK_MS);
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
