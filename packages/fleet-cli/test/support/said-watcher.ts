/**
 * Whoever answers at a watcher's socket, and says exactly what a test wants said.
 */
import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { settle } from './watcher.ts';

export async function saidWatcher(root: string, answer: RequestListener): Promise<void> {
  mkdirSync(join(root, '.fleet'), { recursive: true });
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(join(root, '.fleet', 'http.sock'), resolve));
  settle(root);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

/** A document of a watcher, with these gateways and holds. */
export const stateText = (more: object): string =>
  JSON.stringify({
    schema: 'fleet/state/v1',
    epoch: 'e1',
    revision: 9,
    scopes: [],
    profiles: [],
    unreadable: [],
    gateways: [],
    ...more,
  });
