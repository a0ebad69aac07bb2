/**
 * Tells one outage from the next. What cannot be looked at has nothing on disk to tell it by; all that
 * is known of two outages is that one look in between went well.
 * What an outage refuses is `admission.ts`.
 */
export interface Outages {
  /**
   * One look at all that it is asked about: where it failed. Answers the number of each outage, the
   * same for as long as every look fails there. What is not named has been seen to be well.
   */
  see(failed: readonly string[]): ReadonlyMap<string, number>;
}

export function outages(): Outages {
  let underWay: ReadonlyMap<string, number> = new Map();
  let number = 0;
  return {
    see(failed) {
      // Nearly always nothing failed, and at every admission.
      if (failed.length === 0 && underWay.size === 0) return underWay;
      const before = underWay;
      underWay = new Map(failed.map((place) => [place, before.get(place) ?? ++number]));
      return underWay;
    },
  };
}
