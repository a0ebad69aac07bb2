/**
 * Webhook metrics in the Prometheus text format. Labels are hosts from `fleet.yaml` and fixed
 * words.
 */
import type { HookView } from './hook.ts';

const OUTCOMES = ['delivered', 'failed', 'dropped'] as const;

export function figuresOf(hooks: readonly HookView[]): string {
  return [
    ...series(
      ['deliveries_total', 'counter', 'Events of this run, by outcome.'],
      hooks.flatMap((hook) =>
        OUTCOMES.map((outcome) => ({ labels: { hook: hook.hook, outcome }, value: hook[outcome] })),
      ),
    ),
    ...series(
      ['retries_total', 'counter', 'Failed attempts that were followed by another one.'],
      hooks.map((hook) => ({ labels: { hook: hook.hook }, value: hook.retried })),
    ),
    ...series(
      ['queue', 'gauge', 'Events in the queue, including the one being delivered.'],
      hooks.map((hook) => ({ labels: { hook: hook.hook }, value: hook.pending })),
    ),
  ]
    .map((line) => `${line}\n`)
    .join('');
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

function series([name, type, help]: readonly [string, string, string], samples: readonly Sample[]) {
  const full = `fleet_webhook_${name}`;
  return [
    `# HELP ${full} ${help}`,
    `# TYPE ${full} ${type}`,
    ...samples.map(({ labels, value }) => {
      const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text}"`);
      return `${full}{${pairs.join(',')}} ${value}`;
    }),
  ];
}
