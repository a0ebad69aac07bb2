/**
 * Looks after a seat while its owner works: it may be lost to somebody while we were stopped, or
 * vanish with the root.
 */
import type { Seat, SeatTaken } from './seat.ts';

export type Unseated = Extract<SeatTaken, { taken: false }>;

export interface KeptSeat {
  /** Resolves when another process has the seat. */
  readonly unseated: Promise<Unseated>;
  open(): void;
  /** At every sweep. */
  check(): Promise<void>;
  /** Why nobody finds us right now; null: they do. */
  missing(): string | null;
  leave(): void;
}

/** `vanished` is told once for each reason why the seat cannot be taken again. */
export function keptSeat(first: Seat, vanished: (why: string) => void): KeptSeat {
  let seat = first;
  let left = false;
  let checking = false;
  let said = '';
  let lose: (to: Unseated) => void = () => {};
  const unseated = new Promise<Unseated>((resolve) => {
    lose = resolve;
  });

  return {
    unseated,
    open: () => seat.open(),
    async check() {
      if (checking || left) return;
      checking = true;
      const kept = await seat.keep();
      checking = false;
      if (kept.taken) {
        said = '';
        seat = kept.seat;
        // We left while it was being taken again.
        if (left) seat.leave();
      } else if (kept.owner !== null) {
        lose(kept);
      } else if (said !== kept.why) {
        said = kept.why;
        vanished(kept.why);
      }
    },
    missing() {
      const missing = seat.missing();
      return missing === null || said === ''
        ? missing
        : `${missing}, and it cannot be made: ${said}`;
    },
    leave() {
      left = true;
      seat.leave();
    },
  };
}
