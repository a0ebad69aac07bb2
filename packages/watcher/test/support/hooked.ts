/**
 * A watcher in the test's own process with the webhooks of its `fleet.yaml`.
 */

import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WebhookView } from '@fleet-estop/protocol';
import type { DiskPort } from '@fleet-estop/sentinel-core';
import { onTestFinished } from 'vitest';
import { startWaiting } from '../../../../test/support/until.ts';
import { type Service, startWatcher } from '../../src/daemon.ts';
import { httpService } from '../../src/serve/service.ts';
import type { Store } from '../../src/state/store.ts';
import type { HookLimits } from '../../src/webhooks/hook.ts';
import { webhooks } from '../../src/webhooks/service.ts';
import { type Answer, ask } from './served.ts';
import { type LogLine, listeningLog, makeRoot, NEVER_MS } from './watched.ts';

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

export interface HookLines {
  readonly url: string;
  readonly secret_file?: string;
  readonly events?: readonly string[];
}

/** Writes the file as an editor would; the watcher follows it. */
export function writeHooks(root: string, hooks: readonly HookLines[]): void {
  const full = hooks.map((hook) => ({ secret_file: '.fleet/hook.secret', ...hook }));
  const settings = { version: 1, watcher: { webhooks: full } };
  // JSON is YAML.
  writeFileSync(join(root, 'fleet.yaml'), JSON.stringify(settings, null, 2));
}

export function writeSecret(root: string, text: string, mode = 0o600, name = 'hook.secret'): void {
  mkdirSync(join(root, '.fleet'), { recursive: true, mode: 0o700 });
  writeFileSync(join(root, '.fleet', name), text, { mode });
}

export interface Hooked {
  readonly root: string;
  readonly secret: string;
  readonly store: Store;
  readonly log: readonly LogLine[];
  views(): readonly WebhookView[];
  /** As served. */
  ask(path: string): Promise<Answer>;
  /** Resolves with the view of the first webhook once it fits. */
  untilView(fits: (view: WebhookView) => boolean, at?: number): Promise<WebhookView>;
  untilLogged(part: string): Promise<LogLine>;
  /** An event that nothing on disk has to be made to provoke. */
  record(profile: string): void;
  close(): Promise<void>;
}

/** As fast as a test wants to be: the first wait is 20 to 40 ms. */
export const QUICK: Partial<HookLimits> = {
  retry: { retries: 4, firstWaitMs: 20, longestWaitMs: 1_000, totalMs: 10_000 },
  secretMs: 20,
};

export async function hooked(
  hooks: readonly HookLines[],
  limits: Partial<HookLimits> = {},
  prepare: {
    readonly root?: string;
    readonly secret?: string;
    readonly services?: readonly Service[];
    readonly disk?: DiskPort;
    readonly sweepMs?: number;
  } = {},
): Promise<Hooked> {
  const { root = makeRoot('lane-a', 'lane-b'), secret = newSecret(), services = [] } = prepare;
  const { disk, sweepMs = NEVER_MS } = prepare;
  writeSecret(root, `${secret}\n`);
  writeHooks(root, hooks);
  const log: LogLine[] = [];
  const { wake, until } = startWaiting();
  const sending = webhooks({ ...QUICK, ...limits });
  let url = '';
  const serve = httpService({
    port: 0,
    contribution: sending.contribution,
    served: (at) => {
      url = at;
    },
  });
  const start = await startWatcher({
    root,
    log: listeningLog(log, wake),
    sweepMs,
    ...(disk === undefined ? {} : { disk }),
    graceMs: 50,
    services: [...services, sending.service, serve],
  });
  if (!start.started) throw new Error('refused');
  const { watcher } = start;
  onTestFinished(() => watcher.close());
  const polling = setInterval(wake, 10);
  onTestFinished(() => clearInterval(polling));
  const views = () => sending.contribution.state().webhooks;
  return {
    root,
    secret,
    store: watcher.store,
    log,
    views,
    ask: (path) => ask({ host: '127.0.0.1', port: Number(new URL(url).port), path }),
    untilView: (fits, at = 0) =>
      until(() => {
        const view = views()[at];
        return view !== undefined && fits(view) ? view : undefined;
      }),
    untilLogged: (part) => until(() => log.find(({ message }) => message.includes(part))),
    record: (profile) =>
      watcher.store.record('profile.paused', `profile/${profile}`, { profile, engaged: true }),
    close: () => watcher.close(),
  };
}
