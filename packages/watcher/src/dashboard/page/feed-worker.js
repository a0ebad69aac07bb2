// @ts-nocheck
/**
 * One connection to the watcher for all tabs of a browser, which allows six per host.
 */
import { follow } from './feed.js';

const ports = new Set();
const feed = follow((message) => {
  for (const port of ports) port.postMessage(message);
});

addEventListener('connect', ({ ports: [port] }) => {
  port.addEventListener('message', ({ data }) => {
    if (data === 'bye') ports.delete(port);
    if (data === 'hello') {
      ports.add(port);
      feed.everything();
    }
    if (data === 'look') feed.look();
  });
  port.start();
});
