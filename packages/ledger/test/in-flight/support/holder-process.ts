/**
 * A gateway process with work in hand, which can be killed. It executes commands from its input.
 * Arguments: home, and the milliseconds of its lease.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { openRegister } from '../../../src/in-flight/open-register.ts';
import type { Claim, PredecessorWork, WorkToBegin } from '../../../src/in-flight/register.ts';

export type Asked =
  | { readonly does: 'begin' | 'end' | 'touch'; readonly ids: readonly string[] }
  /** Begins work with a conversation and an hour's limit. */
  | { readonly does: 'begin-limited'; readonly ids: readonly string[] }
  /** Touches work of its predecessor's worker. */
  | { readonly does: 'touch-adopted'; readonly ids: readonly string[] }
  | { readonly does: 'begin-and-end'; readonly ids: readonly string[] }
  /** Starts a worker for each, behind a `read`, so that it works only if its claim names it. */
  | { readonly does: 'work'; readonly ids: readonly string[] }
  | { readonly does: 'look' }
  /** Begins and ends work in an endless loop. */
  | { readonly does: 'churn'; readonly ids: readonly string[] }
  /** Moves its work between these processes in an endless loop. */
  | { readonly does: 'roam'; readonly pids: readonly number[] };

export interface Said {
  readonly owner: string;
  /** Ids of work that was begun, or that this process ended itself. */
  readonly done: readonly string[];
  readonly pids: readonly number[];
  readonly count: number;
  readonly cutOff: readonly (string | null)[];
  readonly adopted: readonly (string | null)[];
}

const [home = '', leaseMs = '15000'] = process.argv.slice(2);
const found: PredecessorWork[] = [];
const register = openRegister(home, {
  instance: `gw-${process.pid}`,
  leaseMs: Number(leaseMs),
  onFound: (more) => found.push(more),
});
found.push(register.found);
const claims = new Map<string, Claim>();

function begin(id: string, limits: Partial<WorkToBegin> = {}): boolean {
  const claim = register.begin({ door: 'turn', id, ...limits });
  if (claim !== null) claims.set(id, claim);
  return claim !== null;
}

const LIMITED = { conversation: 'chat-7', stallMs: 3_600_000 };

function work(id: string): ChildProcess | null {
  if (!begin(id)) return null;
  const command = 'read -r go && exec sleep 60';
  const worker = spawn('sh', ['-c', command], { stdio: ['pipe', 'ignore', 'ignore'] });
  if (worker.pid !== undefined && claims.get(id)?.follow(worker.pid)) worker.stdin?.write('go\n');
  return worker;
}

function churn(ids: readonly string[]): void {
  for (;;) {
    for (const id of ids) begin(id);
    for (const id of ids) claims.get(id)?.end();
  }
}

function roam(pids: readonly number[]): void {
  const claim = register.begin({ door: 'turn', id: 'roaming' });
  for (;;) for (const pid of pids) claim?.follow(pid);
}

process.on('message', (asked: Asked) => {
  let done: string[] = [];
  let pids: number[] = [];
  if (asked.does === 'begin') done = asked.ids.filter((id) => begin(id));
  if (asked.does === 'begin-and-end')
    asked.ids.filter((id) => begin(id)).map((id) => claims.get(id)?.end());
  if (asked.does === 'begin-limited') done = asked.ids.filter((id) => begin(id, LIMITED));
  if (asked.does === 'touch') done = asked.ids.filter((id) => claims.get(id)?.touch());
  if (asked.does === 'touch-adopted') {
    done = asked.ids.filter((id) => register.adopted({ door: 'turn', id })?.touch());
  }
  if (asked.does === 'end') done = asked.ids.filter((id) => claims.get(id)?.end());
  if (asked.does === 'work') pids = asked.ids.flatMap((id) => work(id)?.pid ?? []);
  say(done, pids);
  if (asked.does === 'churn') churn(asked.ids);
  if (asked.does === 'roam') roam(asked.pids);
});
process.on('disconnect', () => process.exit(0));

function say(done: readonly string[], pids: readonly number[]): void {
  const said: Said = {
    owner: register.owner,
    done,
    pids,
    count: register.count(),
    cutOff: found.flatMap(({ cutOff }) => cutOff.map(({ id }) => id)),
    adopted: found.flatMap(({ adopted }) => adopted.map(({ id }) => id)),
  };
  process.send?.(said);
}
say([], []);
