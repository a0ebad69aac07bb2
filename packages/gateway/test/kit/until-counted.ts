/**
 * The wait of a guard that is late: from its decision until the kit has counted, so that its work begins
 * after the hold on a machine of any speed.
 *
 * In each round the kit tries once before its hold, counts, lifts, and tries again, so that what was
 * refused can begin. It counts no more then, and so the second one does not wait.
 */
export interface UntilCounted {
  /** An attempt is sent. */
  arrives(): void;
  wait(): Promise<void>;
  counted(): void;
}

export function startUntilCounted(): UntilCounted {
  let isCounted = false;
  let isSecond = false;
  let begin = () => {};
  return {
    arrives() {
      isSecond = isCounted;
      isCounted = false;
    },
    wait: () =>
      new Promise((resolve) => {
        if (isSecond || isCounted) resolve();
        else begin = resolve;
      }),
    counted() {
      isCounted = true;
      begin();
    },
  };
}
