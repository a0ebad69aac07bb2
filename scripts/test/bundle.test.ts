/**
 * Bundling one file, and the edits that make a mutant of it.
 * The mutants themselves belong to the explorer.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { bundleFile } from '../bundle.mjs';

const folder = mkdtempSync(join(tmpdir(), 'fleet-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

const entry = join(folder, 'entry.ts');
writeFileSync(
  entry,
  "export { answer } from './answer.ts';\nexport const url: string = import.meta.url;\n",
);
writeFileSync(join(folder, 'answer.ts'), 'export const answer: number = 41;\n');

async function load(path: string): Promise<Record<string, unknown>> {
  return await import(/* @vite-ignore */ pathToFileURL(path).href);
}

test('a bundled file runs as written, and knows where its source lives', async () => {
  const built = await load(await bundleFile(entry));
  expect(built).toMatchObject({ answer: 41, url: pathToFileURL(entry).href });
});

test('a mutant differs by its edit, and leaves the unedited bundle alone', async () => {
  const plain = await bundleFile(entry);
  const mutant = await bundleFile(entry, {
    mutate: [{ file: 'answer.ts', edits: [['41', '42']] }],
  });
  expect(await load(mutant)).toMatchObject({ answer: 42 });
  expect(await load(plain)).toMatchObject({ answer: 41 });
});

test.each([
  ['an edit whose text is not there', 'answer.ts', '43', /occurs 0 times/],
  ['an edit whose text is there twice', 'answer.ts', 'n', /not once/],
  ['an edit of a file that is not bundled', 'other.ts', '41', /names no file/],
  ['an edit of half a file name', 'wer.ts', '41', /names no file/],
])('%s is refused', async (_title, file, find, message) => {
  const mutate = [{ file, edits: [[find, 'x']] as const }];
  await expect(bundleFile(entry, { mutate })).rejects.toThrow(message);
});
