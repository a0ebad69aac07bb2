/**
 * Webhook metrics, computed when they are asked for. Labels are hosts from `fleet.yaml` and fixed
 * words.
 */
import type { WebhookView } from '@fleet-estop/protocol';
import { Counter, Gauge, Registry } from 'prom-client';

const OUTCOMES = ['delivered', 'failed', 'dropped'] as const;

/** Answers the metrics in the Prometheus text format. */
export function webhookMetrics(views: () => readonly WebhookView[]): () => Promise<string> {
  const registry = new Registry();
  const optionsFor = <L extends string>(name: string, help: string, labelNames: readonly L[]) => {
    return { name: `fleet_webhook_${name}`, help, labelNames, registers: [registry] };
  };
  const deliveries = new Counter(
    optionsFor('deliveries_total', 'Events of this run, by outcome.', ['hook', 'outcome']),
  );
  const retries = new Counter(
    optionsFor('retries_total', 'Failed attempts that were followed by another one.', ['hook']),
  );
  const queue = new Gauge(
    optionsFor('queue', 'Events in the queue, including the one being delivered.', ['hook']),
  );
  return () => {
    registry.resetMetrics();
    for (const { hook, retried, pending, ...counts } of views()) {
      for (const outcome of OUTCOMES) deliveries.inc({ hook, outcome }, counts[outcome]);
      retries.inc({ hook }, retried);
      queue.set({ hook }, pending);
    }
    return registry.metrics();
  };
}
