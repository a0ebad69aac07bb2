/**
 * How many lifts of everyone's holds have begun, and how many of those are certainly over.
 * One that was killed may be finished by whoever takes its tenure over; so what may have taken a
 * hold is any that began beyond the last one that had ended before the hold was seen.
 */
import type { Ledger } from './ledger.ts';

export interface EveryoneLifts {
  begun(): number;
  /** All up to this number are over. */
  over(): number;
  /** Call before the lift; the answer, after it. */
  begin(): () => void;
}

export function everyoneLifts(ledger: Ledger): EveryoneLifts {
  const ended = ledger.slate<number>('everyone-ended');
  const begun = () => ledger.counted('everyone-begun');
  return {
    begun,
    over: () => ended.read() ?? 0,
    begin() {
      ledger.count('everyone-begun');
      const mine = begun();
      return () => ended.write(mine);
    },
  };
}
