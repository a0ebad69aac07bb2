/** Opens gates over real fleets and records their change events. */
import { readReceipts } from '@fleet-estop/ledger';
import { onTestFinished } from 'vitest';
import {
  type Gate,
  type GateChange,
  type GateOptions,
  openGate,
  type Refused,
} from '../../src/index.ts';

/** Longer than any test: every change must come from a notification, a deadline or a push. */
const NEVER_MS = 600_000;

export function opened(home: GateOptions['home'], options: Partial<GateOptions> = {}): Gate {
  const gate = openGate({ home, sweepMs: NEVER_MS, ...options });
  onTestFinished(() => gate.close());
  return gate;
}

/** The refusal, or an error if the work is admitted. */
export function refusedBy(
  gate: Gate,
  { door = 'turn', ...applicant }: { door?: string; principal?: string; profile?: string } = {},
): Refused {
  const answer = gate.ask({ door, ...applicant });
  if (answer.admitted) throw new Error('admitted');
  return answer;
}

export interface Heard {
  readonly changes: readonly GateChange[];
  readonly stop: () => void;
  /** Resolves with the first matching change, past or future. */
  until(fits: (change: GateChange) => boolean): Promise<GateChange>;
}

export function hearing(gate: Gate): Heard {
  const changes: GateChange[] = [];
  let wake = () => {};
  const stop = gate.onChange((change) => {
    changes.push(change);
    wake();
  });
  return {
    changes,
    stop,
    async until(fits) {
      for (;;) {
        const found = changes.find(fits);
        if (found !== undefined) return found;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

export const receiptsIn = (home: string) => readReceipts(home).receipts;
