/**
 * Numbers outages of folders that cannot be read. Nothing on disk identifies an outage, so a new one
 * starts after a successful read.
 * What an outage refuses is `admission.ts`.
 */
export interface Outages {
  /**
   * Takes the folders that one read failed for; all others were read successfully. Returns the number of
   * each outage, which stays the same for as long as every read of that folder fails.
   */
  see(failed: readonly string[]): ReadonlyMap<string, number>;
}

export function outages(): Outages {
  let underWay: ReadonlyMap<string, number> = new Map();
  let number = 0;
  return {
    see(failed) {
      // The fast path: called at every admission, and almost never with a failure.
      if (failed.length === 0 && underWay.size === 0) return underWay;
      const before = underWay;
      underWay = new Map(failed.map((place) => [place, before.get(place) ?? ++number]));
      return underWay;
    },
  };
}
