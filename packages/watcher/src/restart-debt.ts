/**
 * Settles restarts that died half-way: at the start, and at every sweep. Each outcome is logged and recorded
 * once.
 * What is done is decided in the ledger, as for `fleet doctor --fix`.
 */
import { lstatSync } from 'node:fs';
import {
  restartPath,
  type ServingInstance,
  type Settlement,
  settleRestart,
} from '@fleet-estop/ledger';
import { type Actor, type DiskPort, profileHome } from '@fleet-estop/sentinel-core';
import type { Log } from './log.ts';
import { judge } from './state/acknowledgement.ts';
import type { Store } from './state/store.ts';

export interface RestartDebtOptions {
  readonly disk: DiskPort;
  readonly store: Store;
  readonly log: Log;
  readonly actor: Actor;
}

/** Returns the function that looks at every profile once. */
export function restartDebt({ disk, store, log, actor }: RestartDebtOptions): () => void {
  /** What was said of the debt of each profile, so that it is said once. */
  const said = new Map<string, string>();

  const settle = (profile: string, home: string): void => {
    if (!isThere(restartPath(home))) {
      said.delete(profile);
      return;
    }
    const { root } = store.snapshot().fleet;
    const serving = () => servingOf(store, profile);
    const settled = settleRestart(disk, { root, profile, home }, serving, actor);
    if (settled.kind === 'none' || settled.kind === 'running') return;
    const why = 'why' in settled ? settled.why : '';
    const id = 'record' in settled ? settled.record.id : '';
    const key = `${settled.kind} ${id} ${why}`;
    if (said.get(profile) === key) return;
    said.set(profile, key);
    report(profile, settled);
  };

  const report = (profile: string, settled: Exclude<Settlement, { kind: 'none' | 'running' }>) => {
    const { kind } = settled;
    if (kind === 'unreadable') {
      log.warn({ profile, why: settled.why }, 'the record of a restart cannot be read');
      return;
    }
    const { id, step } = settled.record;
    const fields = { profile, operation: id, step, outcome: kind };
    if (kind === 'failed') log.warn({ ...fields, why: settled.why }, TEXTS[kind]);
    else if (kind === 'held') log.warn(fields, TEXTS[kind]);
    else log.info(fields, TEXTS[kind]);
    store.record('restart.settled', `profile/${profile}`, {
      profile,
      operation: id,
      step,
      outcome: kind,
      why: kind === 'failed' ? settled.why : null,
    });
  };

  return () => {
    const { root, profiles } = store.snapshot().fleet;
    for (const { name, own } of profiles) {
      // The root's own profile is never restarted.
      if (own === null) continue;
      try {
        settle(name, profileHome(root, name));
      } catch (error) {
        // One broken home must not stop the others from being settled.
        log.error({ profile: name, why: String(error) }, 'a restart could not be settled');
      }
    }
  };
}

const TEXTS = {
  undone: 'a restart died before it restarted anything: its hold is lifted',
  finished:
    'a restart died after it had restarted, and a new instance is there: its hold is lifted',
  held: 'a restart died half-way, and no new instance was seen: the profile stays held',
  lapsed: 'a restart died half-way, and its hold is gone',
  failed: 'a restart died half-way, and what it left could not be settled yet',
} as const;

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** null: gateways of an earlier watcher may still be connecting. */
function servingOf(store: Store, profile: string): ServingInstance[] | null {
  const snapshot = store.snapshot();
  if (snapshot.starting) return null;
  return judge(snapshot).gateways.flatMap(({ instance, link, profiles }) =>
    profiles
      .filter(({ name }) => name === profile)
      .map(({ standing }) => ({ instance, link, hasAcknowledged: standing === 'acknowledged' })),
  );
}
