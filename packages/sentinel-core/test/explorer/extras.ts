/**
 * What a state consists of besides files, specification and actors, kept under numbers.
 */
import type { Watch } from './overlap.ts';

export interface Extra {
  readonly id: number;
  /** Actors that were killed, one bit each. */
  readonly killed: number;
  /** Creations and writes that have failed so far. */
  readonly failures: number;
  /** By actor: the folder that its pending call has walked into. */
  readonly walks: Readonly<Record<number, string>>;
  /** By actor: what a check that is under way must not deny. */
  readonly watches: Watches;
}

export type Watches = Readonly<Record<number, Watch>>;

export class Extras {
  private readonly byKey = new Map<string, Extra>();
  private readonly all: Extra[] = [];

  initial = (): Extra => this.keep({ killed: 0, failures: 0, walks: {}, watches: {} });

  byId(id: number): Extra {
    return this.all[id]!;
  }

  with(extra: Extra, changes: Partial<Extra>): Extra {
    return this.keep({ ...extra, ...changes });
  }

  private keep({ killed, failures, walks, watches }: Omit<Extra, 'id'>): Extra {
    const seen = JSON.stringify(watches);
    const key = `${killed} ${failures} ${Object.entries(walks).join(';')} ${seen}`;
    let kept = this.byKey.get(key);
    if (kept === undefined) {
      kept = { id: this.all.length, killed, failures, walks, watches };
      this.byKey.set(key, kept);
      this.all.push(kept);
    }
    return kept;
  }
}

/** A record without one actor's entry; the same record where it has none. */
export function omit<T>(record: Readonly<Record<number, T>>, index: number) {
  if (!(index in record)) return record;
  const { [index]: _, ...rest } = record;
  return rest;
}
