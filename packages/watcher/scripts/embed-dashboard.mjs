/**
 * Writes the files of the dashboard into `src/dashboard/embedded.ts`, so that they are part of
 * every build and bundle. The files in `page/` are the source.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const folder = fileURLToPath(new URL('../src/dashboard/', import.meta.url));
export const target = join(folder, 'embedded.ts');

export function embed() {
  const names = readdirSync(join(folder, 'page')).sort();
  const entries = names.map((name) => {
    const text = readFileSync(join(folder, 'page', name), 'utf8').replace(
      /^\/\/ @ts-nocheck\n/,
      '',
    );
    const literal = text.replace(/[\\`]|\$\{/g, (found) => `\\${found}`);
    return `  '${name}': \`${literal}\`,\n`;
  });
  const purpose =
    '/** The files in `page/`, as they are served. Written by `scripts/embed-dashboard.mjs`. */';
  return `${purpose}\nexport const embedded = {\n${entries.join('')}} as const;\n`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = embed();
  let old = '';
  try {
    old = readFileSync(target, 'utf8');
  } catch {
    // The file does not exist yet.
  }
  if (old !== text) writeFileSync(target, text);
}
