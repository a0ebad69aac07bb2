/** The adapter of the kit's page runs against the Express app of the README, both unchanged. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const pages = ['../../README.md', '../../docs/conformance-kit.md'].map((page) =>
  readFileSync(new URL(page, import.meta.url), 'utf8'),
);
const blocks = pages.flatMap((page) =>
  [...page.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code = '']) => code),
);
const blockWith = (word: string): string => blocks.find((code) => code.includes(word)) ?? '';

async function run(app: string): Promise<{ code: number | null; output: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'fleet-kit-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const modules = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
  symlinkSync(modules, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'app.mjs'), app);
  writeFileSync(join(folder, 'doors.test.mjs'), blockWith('testDoors('));
  // Otherwise the child would report to the test run that started it.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ['doors.test.mjs'], {
    cwd: folder,
    env: { ...env, PORT: String(await freePort()) },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'close');
  return { code: code as number | null, output };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('the app of the README passes the kit', { timeout: 60_000 }, async () => {
  const { code, output } = await run(blockWith('expressDoor'));
  expect(output).toContain('cron-webhook: answers 503 with Retry-After and problem details');
  expect(output).toMatch(/fail 0/);
  expect(code).toBe(0);
});

// Each case that fails starts another process.
test('the app of the README without its door fails the kit', { timeout: 60_000 }, async () => {
  const app = blockWith('expressDoor').replace('expressDoor(gate, { principal }), ', '');
  const { code, output } = await run(app);
  expect(output).toContain('but work began at `cron-webhook` anyway');
  expect(code).toBe(1);
});
