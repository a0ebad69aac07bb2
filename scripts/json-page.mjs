/**
 * Fails where `docs/json.md` is not what the schemas say; with `--write`, writes it.
 * The page is made by the protocol package, which must be built.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { jsonPage } from '@fleet-estop/protocol/schemas';

const page = new URL('../docs/json.md', import.meta.url);
const text = jsonPage();
if (process.argv.includes('--write')) {
  writeFileSync(page, text);
} else if (readFileSync(page, 'utf8') !== text) {
  process.stderr.write('docs/json.md is not up to date: node scripts/json-page.mjs --write\n');
  process.exitCode = 1;
}
