/**
 * Passes the signals that this process receives to the command, each exactly once.
 * Whether a signal went to the whole group is found out by `witness.ts`. Stop signals (Ctrl-Z) are left to the
 * kernel, which sends them to the whole group.
 */
import type { ChildProcess } from 'node:child_process';
import { membershipOf } from './process-group.ts';
import { startWitness } from './witness.ts';

/** Signals that end a process by default. */
const ENDING: readonly NodeJS.Signals[] = [
  'SIGHUP',
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  'SIGUSR1',
  'SIGUSR2',
];
/** Signals from keys of a terminal, which go to the whole group. Other senders hardly use them. */
const KEYS: ReadonlySet<string> = new Set(['SIGINT', 'SIGQUIT']);
/** How long the death of the witness may take to be seen: a millisecond or two, on a busy machine a hundred. */
const WITNESS_MS = 250;
/** For a key, which the terminal sends to the whole group: passing it late is better than passing it twice. */
const WITNESS_OF_KEY_MS = 2_000;

export interface Signals {
  /** The first signal that came before the command was started. */
  readonly early: () => NodeJS.Signals | null;
  readonly handTo: (command: ChildProcess) => void;
  /**
   * Whether SIGINT came to this process, too, while it and the command were the foreground group of a
   * terminal. Asked when the command has died of it: that can be seen first, so it waits for a moment.
   */
  readonly interruptedAtTerminal: () => Promise<boolean>;
  readonly close: () => void;
}

/** Until `close` is called, no signal of `ENDING` ends this process. */
export function catchSignals(): Signals {
  let command: ChildProcess | null = null;
  let early: NodeJS.Signals | null = null;
  let interrupted = false;
  let onInterrupt = (): void => {};
  /** A signal seen before the first turn of the event loop may have been sent before the command existed. */
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
    if (signal === 'SIGINT') {
      interrupted = true;
      onInterrupt();
    }
    // A signal to the group between the start of the command and that of the witness is passed twice: that it
    // came before the command cannot be ruled out.
    if (!hasWitness) {
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
  // SIGCONT to this process alone is meant for the command too. It does nothing to a command that runs.
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
    async interruptedAtTerminal() {
      if (!isForeground()) return false;
      if (!interrupted) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, WITNESS_MS);
          onInterrupt = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return interrupted;
    },
    close() {
      closed = true;
      for (const timer of undecided) clearTimeout(timer);
      endWitness();
      for (const signal of ENDING) process.off(signal, onEnding);
      process.off('SIGCONT', onContinue);
    },
  };
}

/**
 * false for a command with a process group of its own (a shell with job control): group signals do not
 * reach it.
 */
function isInOurGroup(command: ChildProcess | null): boolean {
  const own = membershipOf('self');
  const other = command?.pid === undefined ? null : membershipOf(command.pid);
  return own === null || other === null || own.group === other.group;
}

function isForeground(): boolean {
  const own = membershipOf('self');
  return own !== null && own.group === own.foreground;
}
