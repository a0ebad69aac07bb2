/**
 * Bundles the `fleet` command into packages/fleet-cli/dist/bundle: one small file to start, and
 * a chunk for each verb that is loaded when asked for.
 * Types are checked by `tsc` before this runs.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'packages/fleet-cli/dist/bundle');

const { outputFiles, metafile } = await build({
  entryPoints: [join(root, 'packages/fleet-cli/src/bin.ts')],
  absWorkingDir: root,
  outdir,
  bundle: true,
  // Without it every start pays for every verb that is imported lazily.
  splitting: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'eof',
  metafile: true,
  write: false,
  // commander is CommonJS inside and calls `require`, which an ESM file does not have.
  banner: {
    js: "import{createRequire as $createRequire}from'node:module';const require=$createRequire(import.meta.url);",
  },
});

// Written over and swept afterwards, not emptied first: a `fleet` that runs meanwhile still works.
mkdirSync(outdir, { recursive: true });
const current = new Set(outputFiles.map(({ path }) => path));
for (const { path, contents } of outputFiles) writeFileSync(path, contents);
const notices = join(outdir, 'THIRD-PARTY.txt');
writeFileSync(notices, thirdPartyNotices(Object.keys(metafile.inputs)));
current.add(notices);
for (const name of readdirSync(outdir)) {
  const path = join(outdir, name);
  if (!current.has(path)) rmSync(path, { recursive: true });
}

/**
 * The licences of bundled packages ask to travel with the code.
 * @param {readonly string[]} inputs
 */
function thirdPartyNotices(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const packages = [...new Set(folders)].filter((folder) => folder !== undefined).sort();
  return packages
    .map((folder) => {
      const { name, version } = JSON.parse(
        readFileSync(join(root, folder, 'package.json'), 'utf8'),
      );
      const licence = readFileSync(join(root, folder, 'LICENSE'), 'utf8').trim();
      return `${name} ${version}\n\n${licence}\n`;
    })
    .join('\n---\n\n');
}
