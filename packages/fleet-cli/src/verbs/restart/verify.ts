/**
 * Waits until a new instance serves the restarted profiles, has acknowledged their newest state, and has
 * stayed for a while. What is not seen is not claimed.
 */
import { type DiskPort, here, type Profile, processAt } from '@fleet-estop/sentinel-core';
import { readProfileState, readRootState } from '../../fleet/state.ts';
import { span } from '../../text/time.ts';
import { visible } from '../../text/visible.ts';
import { seesSame } from '../../watcher-client/account.ts';
import { askState } from '../../watcher-client/ask-state.ts';
import type { Interruptible } from '../../watcher-client/interruptible.ts';
import type { WatchedGateway, WatcherState } from '../../watcher-client/state.ts';
import { servingAny } from './groups.ts';

export type Verified =
  | { readonly kind: 'verified'; readonly instances: readonly string[] }
  | { readonly kind: 'failed'; readonly why: string; readonly instances: readonly string[] }
  | { readonly kind: 'interrupted' };

export interface VerifyOptions {
  readonly root: string;
  readonly disk: DiskPort;
  readonly profiles: readonly Profile[];
  /** Instances that served before: none of them counts. */
  readonly old: ReadonlySet<string>;
  /** How long the new instance may take until it has acknowledged. */
  readonly arriveMs: number;
  /** How long it must stay then. */
  readonly settleMs: number;
  readonly waiting: Interruptible;
}

const POLL_MS = 100;
/** A stopped watcher accepts the connection and never answers. */
const ASK_MS = 2_000;

export async function verify(options: VerifyOptions): Promise<Verified> {
  const { root, arriveMs, settleMs, waiting, old } = options;
  const began = performance.now();
  /** New instances that were seen connected, and since when. */
  let seen = new Map<string, { readonly gateway: WatchedGateway; readonly atMs: number }>();
  let goodSinceMs: number | null = null;
  let epoch: string | null = null;
  const instances = (): string[] => [...seen.keys()];
  for (;;) {
    const asked = await askState(root, { signal: waiting.signal, timeoutMs: ASK_MS });
    if (waiting.interruption() !== null) return { kind: 'interrupted' };
    const now = performance.now();
    let missing: string | null = null;
    if (asked.reached && asked.state !== null) {
      const { state } = asked;
      // Another run of the watcher knows nobody yet.
      if (epoch !== null && state.epoch !== epoch) seen = new Map();
      epoch = state.epoch;
      const connected = servingAny(
        state,
        options.profiles.map(({ name }) => name),
      );
      for (const gateway of connected) {
        const { instance } = gateway;
        if (!old.has(instance) && !seen.has(instance)) seen.set(instance, { gateway, atMs: now });
      }
      for (const [instance, { gateway, atMs }] of seen) {
        if (connected.some((one) => one.instance === instance)) continue;
        return { kind: 'failed', why: endText(gateway, now - atMs), instances: instances() };
      }
      missing = missingIn(options, state, connected);
    } else {
      missing = `the watcher cannot be asked: ${asked.reached ? 'no state' : asked.why}`;
    }
    goodSinceMs = missing === null ? (goodSinceMs ?? now) : null;
    if (goodSinceMs !== null && now - goodSinceMs >= settleMs) {
      return { kind: 'verified', instances: instances() };
    }
    if (missing !== null && now - began >= arriveMs) {
      const why = `${missing}, ${span(now - began)} after the restart`;
      return { kind: 'failed', why, instances: instances() };
    }
    await waiting.pause(POLL_MS);
    if (waiting.interruption() !== null) return { kind: 'interrupted' };
  }
}

/** What is not as it should be, in words; null: all profiles are served by new instances only. */
function missingIn(
  { root, disk, profiles, old }: VerifyOptions,
  state: WatcherState,
  connected: readonly WatchedGateway[],
): string | null {
  const rootState = readRootState(disk, root);
  for (const profile of profiles) {
    const { name } = profile;
    const serving = servingAny({ gateways: connected }, [name]);
    const former = serving.find(({ instance }) => old.has(instance));
    if (former !== undefined) {
      return `the old instance \`${visible(former.instance)}\` still serves ${name}`;
    }
    if (serving.length === 0) return `no new instance has connected for ${name}`;
    const isShown = seesSame(state, readProfileState(disk, rootState, root, profile));
    for (const { instance, link, profiles: served } of serving) {
      const isAcknowledged = served.some(
        (one) => one.name === name && one.ackStatus === 'acknowledged',
      );
      if (!isShown || !isAcknowledged || link === 'stale') {
        return `the new instance \`${visible(instance)}\` has not acknowledged the state of ${name}`;
      }
    }
  }
  return null;
}

/** INVARIANT 12: a connection that ended is not yet a death. */
function endText({ instance, pid, pidNamespace }: WatchedGateway, livedMs: number): string {
  const isOurs = pidNamespace !== null && pidNamespace === here().pids;
  const how = isOurs && processAt(pid) === 'gone' ? 'died' : 'died, or lost its connection,';
  return `the new instance \`${visible(instance)}\` (process ${pid}) ${how} ${span(livedMs)} after it had connected`;
}
