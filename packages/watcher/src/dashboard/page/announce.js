// @ts-nocheck
/**
 * Announces the newest summary to screen readers, at a rate that can be listened to.
 * The visible text never waits for this.
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
    /** For a text that makes the previous one wrong. */
    sayNow(text) {
      newest = text;
      speak();
    },
  };
}
