/**
 * The webhook service of the daemon: sends every event to each webhook of `fleet.yaml` that wants
 * it, and follows changes of that file.
 * One webhook is `hook.ts`.
 */
import { hostname } from 'node:os';
import { EVENT_TYPES, type WebhookView } from '@fleet-estop/protocol';
import { type FleetSettings, fits } from '@fleet-estop/settings';
import { sourceOf } from '../state/envelope.ts';
import type { FleetEvent } from '../state/event-log.ts';
import type { Store } from '../state/store.ts';
import { webhookMetrics } from './figures.ts';
import { type Hook, type HookLimits, type HookLog, type HookSetting, openHook } from './hook.ts';
import { RETRY_POLICY } from './retry.ts';

export interface WebhooksContext {
  readonly root: string;
  readonly store: Store;
  readonly log: HookLog;
  readonly configState: () => { readonly settings: FleetSettings };
  /** Calls the handler whenever the fleet's settings in force change. */
  readonly onSettings: (handler: () => void) => void;
}

export interface Webhooks {
  /** Starts and closes within a second. */
  readonly service: (context: WebhooksContext) => Promise<() => Promise<void>>;
  /** What webhooks add to the state document and to `/metrics`. */
  readonly contribution: {
    readonly state: () => { readonly webhooks: readonly WebhookView[] };
    readonly metrics: () => Promise<string>;
  };
}

const LIMITS: HookLimits = {
  // As many as the event log: pausing a thousand profiles makes a thousand events.
  queue: 4_096,
  timeoutMs: 10_000,
  retry: RETRY_POLICY,
  secretMs: 5_000,
  graceMs: 500,
};

export function webhooks(limits: Partial<HookLimits> = {}): Webhooks {
  let hooks: readonly Hook[] = [];
  const views = () => hooks.map((hook) => hook.view());
  return {
    contribution: {
      state: () => ({ webhooks: views() }),
      metrics: webhookMetrics(views),
    },
    async service(context) {
      const { root, store, log, configState } = context;
      const { epoch } = store.snapshot();
      const source = sourceOf(root, hostname());
      const leaving = new Set<Promise<void>>();
      let isOpen = true;

      const applySettings = (): void => {
        const wanted = configState().settings.watcher?.webhooks ?? [];
        warnDeadPatterns(wanted, log);
        const before = [...hooks];
        const reused = wanted.map(({ url }) => removeByUrl(before, url));
        const labels = new Set(reused.flatMap((hook) => (hook === undefined ? [] : [hook.label])));
        hooks = wanted.map((setting, at) => {
          const hook = reused[at];
          hook?.use(setting);
          if (hook !== undefined) return hook;
          const label = labelOf(setting.url, labels);
          labels.add(label);
          const all = { ...LIMITS, ...limits };
          return openHook({ label, setting, root, epoch, source, log, limits: all });
        });
        for (const gone of before) {
          const left: Promise<void> = gone.close().finally(() => leaving.delete(left));
          leaving.add(left);
        }
      };

      const offer = (events: readonly FleetEvent[]) => {
        for (const hook of hooks) for (const event of events) hook.offer(event);
      };

      applySettings();
      // Events of the first look: receivers of an earlier run get them again.
      offer(store.log.recent(Number.POSITIVE_INFINITY));
      const unsubscribe = store.subscribe((_snapshot, events) => offer(events));
      context.onSettings(() => {
        if (isOpen) applySettings();
      });
      return async () => {
        isOpen = false;
        unsubscribe();
        await Promise.all([...hooks.map((hook) => hook.close()), ...leaving]);
      };
    },
  };
}

/** Webhooks are identified by their URL, and by their order if several share it. */
function removeByUrl(hooks: Hook[], url: string): Hook | undefined {
  const at = hooks.findIndex((hook) => hook.url === url);
  return at === -1 ? undefined : hooks.splice(at, 1)[0];
}

/** Bounded, since it becomes a metric's label. */
function labelOf(url: string, usedLabels: ReadonlySet<string>): string {
  const host = new URL(url).host.replace(/[^A-Za-z0-9.:[\]-]/g, '_').slice(0, 100);
  let label = host;
  for (let number = 2; usedLabels.has(label); number += 1) label = `${host}#${number}`;
  return label;
}

/** A mistyped pattern would silently match nothing for ever. */
function warnDeadPatterns(wanted: readonly HookSetting[], log: HookLog): void {
  for (const { events = [] } of wanted) {
    for (const pattern of events) {
      if (EVENT_TYPES.some((type) => fits(pattern, type))) continue;
      log.warn({ pattern }, 'webhook: this pattern matches no event type');
    }
  }
}
