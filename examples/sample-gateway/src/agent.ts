/**
 * What stands for an agent: a turn that takes a while, step by step, and hears what it is told
 * meanwhile. Whether a turn may begin is asked at the turn door.
 */
import { setTimeout as delay } from 'node:timers/promises';

export interface Conversing {
  /** Milliseconds. */
  readonly stepMs: number;
  readonly say: (text: string) => void;
  /** What has been told since it was last asked. */
  readonly heard: () => readonly string[];
}

const MAX_STEPS = 100_000;

/** Counts where it is asked to, and else just answers; `stop` ends a count. */
export async function takeTurn(text: string, { stepMs, say, heard }: Conversing): Promise<void> {
  const asked = /^count to ([0-9]{1,6})$/i.exec(text.trim())?.[1];
  if (asked === undefined) {
    await delay(stepMs);
    return say(`you said: ${text}`);
  }
  const last = Math.min(Number(asked), MAX_STEPS);
  for (let step = 1; step <= last; step++) {
    await delay(stepMs);
    for (const told of heard()) {
      if (told.trim().toLowerCase() === 'stop') return say(`stopped before ${step}, as you said`);
      say(`noted: ${told}`);
    }
    say(`${step} of ${last}`);
  }
}
