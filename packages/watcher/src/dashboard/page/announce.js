// @ts-nocheck
/**
 * Tells a screen reader the newest of what is shown, and not more often than it can be listened to.
 * What is seen never waits for this.
 */
import { put } from './text.js';

const PAUSE_MS = 1_500;

/** `node`: a live region. */
export function announcer(node) {
  let newest = '';
  let saidAt = Number.NEGATIVE_INFINITY;
  let timer;

  function speak() {
    clearTimeout(timer);
    timer = undefined;
    if (node.textContent === newest) return;
    saidAt = performance.now();
    put(node, newest);
  }
  return {
    say(text) {
      newest = text;
      timer ??= setTimeout(speak, Math.max(0, saidAt + PAUSE_MS - performance.now()));
    },
    /** What was said is not so any more. */
    sayNow(text) {
      newest = text;
      speak();
    },
  };
}
