/**
 * A stand-in for an agent: a turn that takes several steps and receives messages meanwhile.
 * Whether a turn may begin is decided at the turn door.
 */
import { setTimeout as delay } from 'node:timers/promises';

export interface Conversing {
  /** Milliseconds. */
  readonly stepMs: number;
  readonly say: (text: string) => void;
  /** Returns the messages that arrived since the last call. */
  readonly heard: () => readonly string[];
}

const MAX_STEPS = 100_000;

/** Counts on `count to N`, which `stop` ends; answers any other text at once. */
export async function takeTurn(text: string, { stepMs, say, heard }: Conversing): Promise<void> {
  const asked = /^count to ([0-9]{1,6})$/i.exec(text.trim())?.[1];
  if (asked === undefined) {
    await delay(stepMs);
    return say(`you said: ${text}`);
  }
  const last = Math.min(Number(asked), MAX_STEPS);
  for (let step = 1; step <= last; step++) {
    await delay(stepMs);
    for (const message of heard()) {
      if (message.trim().toLowerCase() === 'stop')
        return say(`stopped before ${step}, as you said`);
      say(`noted: ${message}`);
    }
    say(`${step} of ${last}`);
  }
}
