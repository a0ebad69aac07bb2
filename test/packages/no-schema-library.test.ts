/**
 * What starts often, or runs in another's process, loads no schema library.
 * Speeds are measured by the benches.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Files that are loaded at once with this entry: what is imported later is not followed. */
async function loadedWith(entry: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: [join(repository, entry)],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    write: false,
    outdir: 'out',
    metafile: true,
    logLevel: 'silent',
  });
  const { outputs } = metafile;
  const first = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith(entry));
  const seen = new Set<string>();
  const follow = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === 'import-statement') follow(next);
    }
  };
  follow(first ?? '');
  return [...seen].flatMap((path) => Object.keys(outputs[path]?.inputs ?? {}));
}

const isZod = (path: string): boolean => path.includes('node_modules/zod/');

test.each([
  'packages/protocol/src/index.ts',
  'packages/gateway/src/index.ts',
  'packages/fleet-cli/src/bin.ts',
  'packages/watcher/src/bin.ts',
])('%s starts without zod', async (entry) => {
  const loaded = await loadedWith(entry);
  expect(loaded.some((path) => path.endsWith(entry))).toBe(true);
  expect(loaded.filter(isZod)).toEqual([]);
});

test('whoever asks for the schemas gets it, so that the test above can see it', async () => {
  const loaded = await loadedWith('packages/protocol/src/schemas/index.ts');
  expect(loaded.some(isZod)).toBe(true);
});
