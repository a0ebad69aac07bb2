/**
 * Examines whether a watcher runs if the settings need one, and whether it answers. A fleet works without a
 * watcher, because holds are on disk [11].
 * What a watcher reports about itself is `watcher-health.ts`.
 */

import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { MAX_SOCKET_PATH } from '@fleet-estop/protocol';
import { readFleetFile } from '../../fleet/settings.ts';
import { counted } from '../../text/fields.ts';
import { shellOption } from '../../text/visible.ts';
import { expectationsOf } from '../../watcher-client/expected.ts';
import { listed } from '../../watcher-client/gateways-text.ts';
import { askWatcher, type NotReached } from '../../watcher-client/request.ts';
import { parseState } from '../../watcher-client/state.ts';
import type { ExaminedFleet, Finding } from './finding.ts';
import { gatewayFindings, readinessFindings, webhookFindings } from './watcher-health.ts';
import { readinessIn, webhooksIn } from './watcher-report.ts';

/** With slower answers, every `status` says that the watcher cannot be asked. */
const SLOW_MS = 1_000;
const PATIENCE_MS = 3_000;

/** The settings that need a watcher. */
interface WatcherNeeds {
  readonly webhooks: number;
  /** Profiles for which a gateway is expected, with the settings file that says so. */
  readonly expecting: ReadonlyMap<string, string>;
  readonly fleetFile: string;
}

export async function examineWatcher(fleet: ExaminedFleet): Promise<Finding[]> {
  const { root } = fleet.root;
  const needs = await needsOf(fleet);
  const beganMs = performance.now();
  const [ready, state] = await Promise.all([
    askWatcher(root, '/readyz', { timeoutMs: PATIENCE_MS }),
    askWatcher(root, '/v1/state', { timeoutMs: PATIENCE_MS }),
  ]);
  const tookMs = performance.now() - beganMs;
  if (ready.reached && state.reached) return judge(root, needs, tookMs, ready.text, state.text);
  const { why, absent } = ready.reached ? (state as NotReached) : ready;
  const records = join(root, '.fleet');
  // If the path of the root is too long for a socket, no watcher can have one.
  if (!absent && stands(join(records, 'http.sock'))) return [unanswered(root, why)];
  if (await isListening(join(records, 'watcher.sock'))) {
    return [unanswered(root, 'gateways reach it, and it does not serve `http.sock`')];
  }
  return [absence(root, needs)];
}

async function needsOf({ root, listing }: ExaminedFleet): Promise<WatcherNeeds> {
  const fleetFile = join(root.root, 'fleet.yaml');
  // Settings that cannot be read are reported by their own examination.
  const file = await readFleetFile(root.root);
  const webhooks = file.state === 'read' ? (file.settings.watcher?.webhooks?.length ?? 0) : 0;
  // The list contains `default` if the root has a profile.yaml.
  const { profiles } = listing;
  const names = profiles.map(({ name }) => name);
  const expectations = await expectationsOf(root.root, names);
  const expecting = profiles.flatMap(({ name, home }) =>
    expectations.get(name) === 'expected' ? [[name, join(home, 'profile.yaml')] as const] : [],
  );
  return { webhooks, expecting: new Map(expecting), fleetFile };
}

function judge(
  root: string,
  needs: WatcherNeeds,
  tookMs: number,
  ready: string,
  state: string,
): Finding[] {
  const report = readinessIn(ready);
  const fleet = parseState(state);
  if (report === null || fleet === null) {
    return [unanswered(root, 'its answer is not understood')];
  }
  const findings = [
    ...readinessFindings(report),
    ...webhookFindings(webhooksIn(state), needs.fleetFile),
    ...gatewayFindings(fleet, needs.expecting),
  ];
  if (tookMs > SLOW_MS) {
    const what = `the watcher took ${Math.round(tookMs)} ms to answer: other commands wait only ${SLOW_MS} ms`;
    const todo = 'look whether that process or this host is overloaded';
    findings.push({ level: 'warning', check: 'watcher', what, todo });
  }
  if (findings.length > 0) return findings;
  const here = fleet.gateways.filter(({ link }) => link !== 'gone').length;
  const by = report.observing === null ? '' : `, observing by ${report.observing}`;
  const what = `a watcher runs and is ready${by}; connected to it: ${counted(here, 'gateway')}`;
  return [{ level: 'ok', check: 'watcher', what }];
}

const unanswered = (root: string, why: string): Finding => ({
  level: 'problem',
  check: 'watcher',
  what: `the watcher of this fleet cannot be asked: ${why}`,
  where: join(root, '.fleet', 'http.sock'),
  todo: 'run this as its user, or look at its log and restart it: holds apply without it',
  unexamined: true,
});

function absence(root: string, { webhooks, expecting, fleetFile }: WatcherNeeds): Finding {
  const reasons: string[] = [];
  if (webhooks > 0) reasons.push(`${counted(webhooks, 'webhook')} in fleet.yaml`);
  if (expecting.size > 0) reasons.push(`a gateway is expected in ${listed([...expecting.keys()])}`);
  if (reasons.length === 0) {
    return {
      level: 'ok',
      check: 'watcher',
      what: 'no watcher runs here, and no setting needs one',
    };
  }
  const [firstFile = fleetFile] = expecting.values();
  return {
    level: 'warning',
    check: 'watcher',
    what: `no watcher runs here, although ${reasons.join(', and ')}: nothing retires expired holds, notifies gateways at once or sends webhooks`,
    where: webhooks > 0 ? fleetFile : firstFile,
    todo: `run: fleet watcher ${shellOption('--root', root)}`,
  };
}

function stands(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // Unknown, so it may exist.
    return true;
  }
}

/** Whether a process accepts connections there. The watcher drops a connection that sends nothing. */
async function isListening(path: string): Promise<boolean> {
  if (Buffer.byteLength(path) > MAX_SOCKET_PATH || !stands(path)) return false;
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(path);
    const settle = (answer: boolean): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(answer);
    };
    // The connection is neither accepted nor refused, so a process has the socket.
    const late = setTimeout(() => settle(true), SLOW_MS);
    socket.once('connect', () => settle(true));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => {
      settle(code !== 'ECONNREFUSED' && code !== 'ENOENT' && code !== 'ENOTDIR');
    });
  });
}
