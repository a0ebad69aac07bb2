/**
 * One webhook: its queue, its deliveries and its counters. Nothing waits for it: a slow or missing
 * receiver delays neither gateways nor other webhooks.
 * The list of webhooks is `service.ts`.
 */
import type { EventEnvelope, WebhookView } from '@fleet-estop/protocol';
import { formatInstant, jsonText } from '@fleet-estop/sentinel-core';
import { type FleetSettings, fits } from '@fleet-estop/settings';
import { envelopeOf } from '../state/envelope.ts';
import type { FleetEvent } from '../state/event-log.ts';
import { backlog } from './backlog.ts';
import { keyring } from './keyring.ts';
import { type DeliveryResult, poster } from './post.ts';
import { redactedFile, withoutQuery } from './redaction.ts';
import { deliverWithRetries, type RetryPolicy } from './retry.ts';
import { signedHeaders } from './signature.ts';

export type HookSetting = NonNullable<NonNullable<FleetSettings['watcher']>['webhooks']>[number];

export interface HookLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface HookOptions {
  readonly label: string;
  readonly setting: HookSetting;
  readonly root: string;
  readonly epoch: string;
  /** URI of the fleet. */
  readonly source: string;
  readonly log: HookLog;
  readonly limits: HookLimits;
}

export interface HookLimits {
  readonly queue: number;
  readonly timeoutMs: number;
  readonly retry: RetryPolicy;
  /** How often the secret file is checked, whether or not it is needed. */
  readonly secretMs: number;
  /** How long a delivery in progress may take to finish at closing. */
  readonly graceMs: number;
}

export interface Hook {
  readonly label: string;
  /** As configured; never show it. */
  readonly url: string;
  offer(event: FleetEvent): void;
  /** Changes the settings for the same URL. Queued events stay. */
  use(setting: HookSetting): void;
  view(): WebhookView;
  /** Logs how many events were not delivered. */
  close(): Promise<void>;
}

export function openHook(options: HookOptions): Hook {
  const { label, root, epoch, source, limits } = options;
  const { url } = options.setting;
  const named = { hook: label, url: withoutQuery(url) };
  const log = (level: keyof HookLog, fields: object, message: string) =>
    options.log[level]({ ...named, ...fields }, `webhook: ${message}`);
  let { setting } = options;
  const queue = backlog(limits.queue);
  const { post, disconnect } = poster(url, limits.timeoutMs);
  const cut = new AbortController();
  const counts = { delivered: 0, retried: 0, failed: 0, dropped: 0, missed: 0 };
  const last: { [K in 'error' | 'errorAt' | 'successAt' | 'retryAt']: string | null } = {
    error: null,
    errorAt: null,
    successAt: null,
    retryAt: null,
  };
  /** An event is being delivered. */
  let isDelivering = false;
  /** The receiver may already have it. */
  let isPosting = false;
  let closing = false;
  /** Counts at the first logged failure: failures are logged once until a delivery succeeds. */
  let failingSince: { readonly failed: number; readonly dropped: number } | null = null;
  /** Logged once until the queue is empty. */
  let isFullLogged = false;

  const keys = keyring({
    root,
    file: setting.secret_file,
    everyMs: limits.secretMs,
    changed(why) {
      const secret_file = redactedFile(setting.secret_file);
      if (why === null) log('info', { secret_file }, 'its secret can be used again');
      else log('error', { secret_file, why }, 'its secret cannot be used: nothing is sent');
    },
  });

  const attempt = async (id: string, body: string): Promise<DeliveryResult> => {
    // An unsigned event is never sent: it waits.
    const usable = await keys.usable();
    if (usable === null) return CLOSED;
    last.retryAt = null;
    isPosting = true;
    const answer = await post(body, signedHeaders(id, Date.now(), body, usable), cut.signal);
    isPosting = false;
    return answer;
  };

  const deliveryFailed = (id: string, why: string, nextInMs: number | null): void => {
    if (closing) cut.abort();
    last.error = why;
    last.errorAt = formatInstant(Date.now());
    last.retryAt = nextInMs === null ? null : formatInstant(Date.now() + nextInMs);
    if (nextInMs !== null) counts.retried += 1;
    if (failingSince !== null) return;
    failingSince = { failed: counts.failed, dropped: counts.dropped };
    log('warn', { id, why, next_retry_at: last.retryAt }, 'an event was not accepted');
  };

  const accepted = (reported: number): void => {
    counts.delivered += 1;
    counts.missed -= reported;
    last.successAt = formatInstant(Date.now());
    if (failingSince === null) return;
    const failed = counts.failed - failingSince.failed;
    const dropped = counts.dropped - failingSince.dropped;
    failingSince = null;
    log('info', { failed, dropped }, 'events are accepted again');
  };

  const deliver = async (event: FleetEvent): Promise<void> => {
    // The same text in every attempt, so a receiver recognizes a duplicate by its id.
    const reported = counts.missed;
    const envelope = afterMissing(envelopeOf(epoch, source, event), reported);
    const { id } = envelope;
    const body = jsonText(envelope);
    const outcome = await deliverWithRetries(() => attempt(id, body), {
      policy: limits.retry,
      signal: cut.signal,
      failed: ({ why }, nextInMs) => deliveryFailed(id, why, nextInMs),
    });
    if (outcome === 'aborted') return;
    isDelivering = false;
    last.retryAt = null;
    if (outcome === 'accepted') {
      accepted(reported);
      return;
    }
    counts.failed += 1;
    counts.missed += 1;
  };

  const run = async (): Promise<void> => {
    for (;;) {
      if (queue.waiting === 0) {
        disconnect();
        isFullLogged = false;
      }
      const event = await queue.next();
      if (event === null) return;
      isDelivering = true;
      await deliver(event);
    }
  };

  const running = run().catch((error: unknown) => {
    // A bug of ours: it must not end the watcher.
    last.error = `it has stopped: ${String(error).slice(0, 200)}`;
    last.errorAt = formatInstant(Date.now());
    log('error', { error: String(error) }, 'it has stopped');
  });

  const pending = () => queue.waiting + (isDelivering ? 1 : 0);

  return {
    label,
    url,
    offer(event) {
      const wanted = setting.events?.some((pattern) => fits(pattern, event.type)) ?? true;
      if (!wanted) return;
      const dropped = queue.add(event);
      if (dropped === 0) return;
      counts.dropped += dropped;
      counts.missed += dropped;
      if (isFullLogged) return;
      isFullLogged = true;
      log('warn', { waiting: queue.waiting }, 'its queue is full: the oldest events are dropped');
    },
    use(next) {
      setting = next;
      keys.use(next.secret_file);
    },
    view: () => ({
      ...named,
      events: setting.events ?? null,
      pending: pending(),
      ...counts,
      last_error: last.error,
      last_error_at: last.errorAt,
      last_success_at: last.successAt,
      next_retry_at: last.retryAt,
      secret_refused: keys.refused,
    }),
    async close() {
      closing = true;
      queue.close();
      keys.close();
      if (!isPosting) cut.abort();
      const grace = setTimeout(() => cut.abort(), limits.graceMs);
      await running;
      clearTimeout(grace);
      disconnect();
      const undelivered = pending();
      if (undelivered > 0) log('warn', { undelivered }, 'closed before all events were accepted');
    },
  };
}

const CLOSED: DeliveryResult = {
  accepted: false,
  why: 'closed',
  isFinal: true,
  retryAfterMs: null,
};

const afterMissing = (envelope: EventEnvelope, missed: number): EventEnvelope => {
  const { data, ...attributes } = envelope;
  return missed === 0 ? envelope : { ...attributes, missed, data };
};
