/**
 * What `resume --wait` prints of missed work: how gateways say that they spread it.
 */
import { counted, type Field } from '../text/fields.ts';
import { span } from '../text/time.ts';
import { processOf } from './account.ts';
import type { AckSnapshot } from './ack-snapshot.ts';

/** One row, or none if no gateway that has acknowledged says anything of it. */
export function catchUpRows({ serving }: AckSnapshot): Field[] {
  const running = serving.filter(
    ({ ackStatus, link }) => ackStatus === 'acknowledged' && link !== 'gone',
  );
  // A gateway has an entry for each profile that it serves.
  const answers = [
    ...new Map(running.map((entry) => [processOf(entry), entry.resumeSpreadMs])).values(),
  ];
  const said = answers.filter((ms) => ms !== null);
  if (said.length === 0) return [];
  const gateways = (count: number): string => counted(count, 'gateway');
  const parts = [...new Set(said)]
    .sort((a, b) => a - b)
    .map((ms) => `${spreadText(ms)} (${gateways(said.filter((one) => one === ms).length)})`);
  const silent = answers.length - said.length;
  return [
    ['catch-up', [...parts, ...(silent > 0 ? [`not said (${gateways(silent)})`] : [])].join('; ')],
  ];
}

const spreadText = (ms: number): string => (ms === 0 ? 'not spread' : `spread over ${span(ms)}`);
