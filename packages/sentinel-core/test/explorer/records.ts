/**
 * Records of texts, each kept once and under a number: equal ones are one object. What they mean is
 * `posix-model.ts`.
 */

type TextRecord = Readonly<Record<string, string>>;

interface KeptRecord {
  readonly id: number;
  /** In the order of its keys, so that it does not show how it came about. */
  readonly record: TextRecord;
}

export class Records {
  private readonly byKey = new Map<string, KeptRecord>();
  /** By the object itself: what is kept is known without being looked through. Nobody changes one. */
  private readonly kept = new Map<TextRecord, KeptRecord>();
  /** A number for each value, since files are long. */
  private readonly values = new Map<string, number>();

  of(record: TextRecord): KeptRecord {
    return this.kept.get(record) ?? this.keep(record);
  }

  private keep(record: TextRecord): KeptRecord {
    const names = Object.keys(record).sort();
    // No name and no number contains a line feed.
    const key = names.map((name) => `${name}=${this.numberOf(record[name]!)}`).join('\n');
    let kept = this.byKey.get(key);
    if (kept === undefined) {
      const sorted = Object.fromEntries(names.map((name) => [name, record[name]!] as const));
      kept = { id: this.byKey.size, record: sorted };
      this.byKey.set(key, kept);
      this.kept.set(sorted, kept);
    }
    return kept;
  }

  private numberOf(value: string): number {
    let number = this.values.get(value);
    if (number === undefined) {
      number = this.values.size;
      this.values.set(value, number);
    }
    return number;
  }
}
