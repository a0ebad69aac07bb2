// @ts-nocheck
/**
 * Gets what the watcher says, by as few connections as this browser allows: a worker shared by all
 * tabs; else one tab that leads and tells the others; else this tab's own.
 */
import { follow } from './feed.js';

/** A worker says something at its start; one that does not cannot run here. */
const WORKER_MS = 4_000;

/** `take` gets every message of the feed. Answers how to have it look now. */
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

/** Answers the one that takes over, which is known only after `failed`. */
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
  // Held until this tab goes; then the next one leads.
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
