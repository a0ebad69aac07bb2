/**
 * Runs every check but the tests, each to its end, and says at the end how many passed.
 * What each check looks for stands in its own configuration file.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @type {ReadonlyArray<readonly [name: string, command: string]>} */
const checks = [
  // First, since packages see each other only as built.
  ['build', 'npm run --silent build'],
  ['format and lint', 'biome ci --colors=off'],
  ['types', 'tsc -p tsconfig.json'],
  ['unused code and packages', 'knip'],
  ['import directions', 'node scripts/check-imports.mjs'],
  ['back arrows and circles', 'node scripts/structure.mjs'],
  ['invariants', 'node scripts/check-invariants.mjs'],
  ['docs/json.md is up to date', 'node scripts/json-page.mjs'],
  ...readdirSync(join(root, 'packages')).flatMap((name) => [
    /** @type {const} */ ([`package ${name}`, `publint --strict packages/${name}`]),
    // As an importer of ES modules sees its types.
    /** @type {const} */ ([
      `types of ${name}`,
      `attw --pack packages/${name} --profile esm-only --no-color`,
    ]),
  ]),
];

const env = { ...process.env, PATH: `${root}/node_modules/.bin:${process.env['PATH']}` };

let failed = 0;
for (const [name, command] of checks) {
  const { status, stdout, stderr } = spawnSync(command, {
    cwd: root,
    env,
    shell: true,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) {
    process.stdout.write(`ok      ${name}\n`);
  } else {
    failed += 1;
    process.stdout.write(`FAILED  ${name}: ${command}\n${stdout}${stderr}\n`);
  }
}
process.stdout.write(`${checks.length - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;
