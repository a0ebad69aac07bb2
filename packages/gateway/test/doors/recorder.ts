/** Records calls, and waits for them without polling. */
export interface Recorder<Entry> {
  readonly entries: readonly Entry[];
  add(entry: Entry): void;
  /** Resolves when that many calls were recorded. */
  count(count: number): Promise<readonly Entry[]>;
}

export function recorder<Entry>(): Recorder<Entry> {
  const entries: Entry[] = [];
  let wake = () => {};
  return {
    entries,
    add(entry) {
      entries.push(entry);
      wake();
    },
    async count(count) {
      while (entries.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return entries;
    },
  };
}
