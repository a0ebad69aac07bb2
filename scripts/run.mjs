/**
 * Runs one TypeScript file in this process: `node scripts/run.mjs FILE [args…]`.
 * How the file is bundled is `bundle.mjs`.
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleFile } from './bundle.mjs';

const [file, ...rest] = process.argv.slice(2);
if (file === undefined || !existsSync(file)) {
  process.stderr.write(`run: no such file: ${file ?? '(none given)'}\n`);
  process.exit(2);
}
// Stack traces then name the TypeScript source.
process.setSourceMapsEnabled(true);
const built = await bundleFile(file);
process.argv = [process.execPath, resolve(file), ...rest];
await import(pathToFileURL(built).href);
