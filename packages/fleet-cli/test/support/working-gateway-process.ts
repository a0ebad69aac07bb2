/**
 * A gateway as a process of its own, with work in hand that a test begins and ends: each message is a
 * command, and is answered when it is done.
 * Words: root, its instance, and its profiles.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { openGate, type WorkInHand } from '@fleet-estop/gateway';

const [root = '', instance = '', ...profiles] = process.argv.slice(2);
const gate = openGate({
  root,
  home: profiles.map((name) => join(root, 'profiles', name)),
  instance,
  software: 'sample/1.0',
});
const inHand = new Map<string, WorkInHand>();
const workers: ChildProcess[] = [];

interface Command {
  readonly do: 'begin' | 'begin-in-worker' | 'touch' | 'end';
  readonly profile: string;
  readonly door: string;
  readonly id: string;
  readonly stallMs?: number;
}

process.on('message', ({ do: what, profile, door, id, ...more }: Command) => {
  const key = `${profile} ${door} ${id}`;
  let pid: number | undefined;
  if (what === 'begin') {
    const work = gate.begin({ profile, door, id, ...more });
    if (work !== null) inHand.set(key, work);
  } else if (what === 'begin-in-worker') {
    // It outlives this process.
    const worker = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    workers.push(worker);
    pid = worker.pid;
    const work = gate.begin({ profile, door, id, ...(pid === undefined ? {} : { on: pid }) });
    if (work !== null) inHand.set(key, work);
  } else if (what === 'touch') inHand.get(key)?.touch();
  else inHand.get(key)?.end();
  process.send?.({ done: key, pid });
});
process.on('disconnect', () => process.exit(0));
