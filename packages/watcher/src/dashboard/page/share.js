// @ts-nocheck
/**
 * Shares one feed among the tabs of a browser: through a shared worker; else through one leading
 * tab; else each tab has its own.
 */
import { follow } from './feed.js';

/** A worker sends a message at its start; without one it cannot run here. */
const WORKER_MS = 4_000;

/** `take` gets every message of the feed. Answers how to make it look now. */
export function share(take) {
  let current = byWorker(take, () => {
    current = byLeader(take);
  });
  return { look: () => current.look() };
}

function byWorker(take, failed) {
  if (typeof SharedWorker === 'undefined') return orElse(failed);
  let worker;
  try {
    worker = new SharedWorker('/dashboard/feed-worker.js', { type: 'module', name: 'fleet' });
  } catch {
    return orElse(failed);
  }
  let given = false;
  const giveUp = () => {
    if (given) return;
    given = true;
    worker.port.close();
    failed();
  };
  const late = setTimeout(giveUp, WORKER_MS);
  worker.addEventListener('error', giveUp);
  worker.port.addEventListener('message', ({ data }) => {
    clearTimeout(late);
    if (!given) take(data);
  });
  worker.port.start();
  worker.port.postMessage('hello');
  addEventListener('pagehide', () => worker.port.postMessage('bye'));
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) worker.port.postMessage('hello');
  });
  return { look: () => worker.port.postMessage('look') };
}

/** A placeholder: the replacement is only known after `failed`. */
function orElse(failed) {
  queueMicrotask(failed);
  return { look() {} };
}

function byLeader(take) {
  if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') return follow(take);
  const channel = new BroadcastChannel('fleet');
  let feed = null;
  channel.addEventListener('message', ({ data }) => {
    if (data === 'hello') feed?.everything();
    else if (data === 'look') feed?.look();
    else if (feed === null) take(data);
  });
  // Held until this tab closes; then another one leads.
  navigator.locks.request('fleet', () => {
    feed = follow((message) => {
      take(message);
      channel.postMessage(message);
    });
    return new Promise(() => {});
  });
  channel.postMessage('hello');
  return {
    look() {
      if (feed === null) channel.postMessage('look');
      else feed.look();
    },
  };
}
