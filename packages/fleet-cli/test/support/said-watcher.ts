/**
 * Whoever answers at a watcher's socket, and says exactly what a test wants said.
 */
import { mkdirSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { join } from 'node:path';
import { judge } from '@fleet-estop/watcher';
import { onTestFinished } from 'vitest';

export async function saidWatcher(root: string, answer: RequestListener): Promise<void> {
  mkdirSync(join(root, '.fleet'), { recursive: true });
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(join(root, '.fleet', 'http.sock'), resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
}

const EMPTY = {
  schema: 'fleet/state/v1',
  epoch: 'e1',
  starting: false,
  revision: 9,
  scopes: [],
  profiles: [],
  unreadable: [],
  gateways: [],
};

/** A document of an older watcher, with these gateways and holds: it gives no verdict on them. */
export const olderStateText = (more: object): string =>
  JSON.stringify({ ...EMPTY, starting: undefined, ...more });

/** A document of a watcher, with its verdict on these gateways. */
export function stateText(more: object): string {
  const document = { ...EMPTY, ...more };
  if (!Array.isArray(document.gateways)) return JSON.stringify(document);
  const profiles: readonly { name: string; revision: number }[] = document.profiles;
  const { gateways } = judge({
    starting: false,
    fleet: { shared: [], profiles: [], unreadable: null },
    profileRevisions: new Map(profiles.map(({ name, revision }) => [name, revision])),
    gateways: document.gateways,
  });
  return JSON.stringify({ ...document, gateways });
}
