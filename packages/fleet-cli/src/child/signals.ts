/**
 * Hands the signals that this process gets to the command, each exactly once.
 * How it is told whom a signal was sent to is `witness.ts`. Signals that stop (Ctrl-Z) are left to the
 * kernel: they go to the group, and stop all of it.
 */
import type { ChildProcess } from 'node:child_process';
import { membershipOf } from './process-group.ts';
import { startWitness } from './witness.ts';

/** Those that end a process which does not expect them. */
const ENDING: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
];
/** The keys of a terminal send these to a whole group, and hardly anything else sends them. */
const KEYS: ReadonlySet<string> = new Set(['SIGINT', 'SIGQUIT']);
/** How long the witness may take to be seen dead: a millisecond or two, on a busy machine a hundred. */
const WITNESS_MS = 250;
/** For a key, which a terminal sends to all of us: too late is better than twice. */
const WITNESS_OF_KEY_MS = 2_000;

export interface Signals {
  /** The first one that came while there was no command. */
  readonly early: () => NodeJS.Signals | null;
  readonly handTo: (command: ChildProcess) => void;
  /** Whether an interrupt came while a terminal's keys were ours and the command's. */
  readonly interruptedAtTerminal: () => boolean;
  readonly close: () => void;
}

/** From now on, until it is closed, none of `ENDING` ends this process. */
export function catchSignals(): Signals {
  let command: ChildProcess | null = null;
  let early: NodeJS.Signals | null = null;
  let interrupted = false;
  /** What is seen before the event loop turned once may have been sent before the command was there. */
  let fresh = true;
  let closed = false;
  let hasWitness = false;
  let endWitness = (): void => {};
  const deaths = new Map<NodeJS.Signals, number>();
  const undecided = new Set<NodeJS.Timeout>();

  const watchGroup = (): void => {
    hasWitness = true;
    endWitness = startWitness((signal) => {
      hasWitness = false;
      if (closed || signal === null) return;
      deaths.set(signal, performance.now());
      if (ENDING.includes(signal)) watchGroup();
    });
  };

  const pass = (signal: NodeJS.Signals): void => {
    command?.kill(signal);
  };

  const onEnding = (signal: NodeJS.Signals): void => {
    if (command === null) {
      early ??= signal;
      return;
    }
    if (signal === 'SIGINT') interrupted = true;
    if (fresh || !hasWitness) {
      if (fresh || !KEYS.has(signal)) pass(signal);
      return;
    }
    const cameAt = performance.now();
    const waitMs = KEYS.has(signal) && isForeground() ? WITNESS_OF_KEY_MS : WITNESS_MS;
    const timer = setTimeout(() => {
      undecided.delete(timer);
      const diedAt = deaths.get(signal);
      const wentToGroup = diedAt !== undefined && diedAt >= cameAt - WITNESS_MS;
      if (!wentToGroup || !isInOurGroup(command)) pass(signal);
    }, waitMs);
    undecided.add(timer);
  };
  // Whoever continues this process alone means the command, too. One that was not stopped goes on.
  const onContinue = (): void => pass('SIGCONT');

  for (const signal of ENDING) process.on(signal, onEnding);
  process.on('SIGCONT', onContinue);
  return {
    early: () => early,
    handTo(child) {
      command = child;
      watchGroup();
      setImmediate(() => {
        fresh = false;
      });
    },
    interruptedAtTerminal: () => interrupted && isForeground(),
    close() {
      closed = true;
      for (const timer of undecided) clearTimeout(timer);
      endWitness();
      for (const signal of ENDING) process.off(signal, onEnding);
      process.off('SIGCONT', onContinue);
    },
  };
}

/** A command may have made a group of its own (a shell with job control does): no group signal of ours reaches it. */
function isInOurGroup(command: ChildProcess | null): boolean {
  const own = membershipOf('self');
  const other = command?.pid === undefined ? null : membershipOf(command.pid);
  return own === null || other === null || own.group === other.group;
}

function isForeground(): boolean {
  const own = membershipOf('self');
  return own !== null && own.group === own.foreground;
}
