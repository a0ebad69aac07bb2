/**
 * Bundles the `fleet` command into packages/fleet-cli/dist/bundle: one script that starts fast, and
 * beside it what only some calls need, each a file of its own that is loaded when asked for.
 * Types are checked by `tsc` before this runs.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const outdir = join(root, 'packages/fleet-cli/dist/bundle');

/** Packages that cost a start more than the verb itself; each is one lazily required file. */
const LAZY = ['@fleet-estop/settings', '@fleet-estop/watcher', '@fleet-estop/protocol/schemas'];

const fileOf = (/** @type {string} */ name) => `${name.split('/').slice(1).join('-')}.cjs`;

const sourceOf = (/** @type {string} */ name) => {
  const [, folder = '', entry = ''] = name.split('/');
  return join(root, 'packages', folder, 'src', entry, 'index.ts');
};

/**
 * What the command loads only when asked for is a file of its own; and what two such files need is
 * not in both of them.
 * @param {readonly import('esbuild').ImportKind[]} kinds
 * @returns {import('esbuild').Plugin}
 */
const besides = (kinds) => ({
  name: 'packages in files of their own',
  setup({ onResolve }) {
    onResolve({ filter: /^@fleet-estop\// }, ({ path, kind }) => {
      if (!kinds.includes(kind) || !LAZY.includes(path)) return undefined;
      return { path: `./${fileOf(path)}`, external: true };
    });
  },
});

/**
 * commander can run verbs as programs of their own, for which it loads `node:child_process` at its
 * start. We have none such.
 * @type {import('esbuild').Plugin}
 */
const noChildren = {
  name: 'no children of commander',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?child_process$/ }, ({ importer }) =>
      /node_modules\/commander\//.test(importer)
        ? { path: 'nothing', namespace: 'empty' }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'module.exports = {};' }));
  },
};

/** @param {string} entry @param {string} outfile @param {import('esbuild').Plugin} besidesIt */
const bundle = (entry, outfile, besidesIt) =>
  build({
    entryPoints: [entry],
    absWorkingDir: root,
    outfile: join(outdir, outfile),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    // A script that is run with its compiled code at hand cannot `import()`, but it can `require`.
    supported: { 'dynamic-import': false },
    // Node reads all of a script before it runs any of it: its size is most of a start.
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    plugins: [besidesIt, noChildren],
  });

const entry = join(root, 'packages/fleet-cli/src/bin.ts');
const main = await bundle(entry, 'bin.cjs', besides(['dynamic-import']));
const parts = await Promise.all(
  LAZY.map((name) =>
    bundle(sourceOf(name), fileOf(name), besides(['dynamic-import', 'import-statement'])),
  ),
);

// Written over and swept afterwards, not emptied first: a `fleet` that runs meanwhile still works.
mkdirSync(outdir, { recursive: true });
const outputs = [main, ...parts];
const current = new Set(outputs.flatMap(({ outputFiles }) => outputFiles.map(({ path }) => path)));
for (const { path, text } of outputs.flatMap(({ outputFiles }) => outputFiles)) {
  // The launcher finds the compiled code by this digest, so that neither goes with another.
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
  writeFileSync(path, `/*${digest}*/${text}`);
  if (path !== join(outdir, 'bin.cjs')) continue;
  const cache = `${path}.${digest}.cache`;
  execFileSync(process.execPath, [join(root, 'scripts/cache-code.cjs'), path, cache], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  current.add(cache);
}
const notices = join(outdir, 'THIRD-PARTY.txt');
writeFileSync(
  notices,
  thirdPartyNotices(outputs.flatMap(({ metafile }) => Object.keys(metafile.inputs))),
);
current.add(notices);
for (const name of readdirSync(outdir)) {
  const path = join(outdir, name);
  if (!current.has(path)) rmSync(path, { recursive: true });
}

// What `fleet init` makes a fleet from.
const example = join(root, 'packages/fleet-cli/dist/profiles.example');
rmSync(example, { recursive: true, force: true });
cpSync(join(root, 'profiles.example'), example, { recursive: true });

/**
 * The licences of bundled packages ask to travel with the code.
 * @param {readonly string[]} inputs
 */
function thirdPartyNotices(inputs) {
  const folders = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  const packages = [...new Set(folders)].filter((folder) => folder !== undefined).sort();
  return packages
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(root, folder, 'package.json'), 'utf8'),
      );
      const text = ['LICENSE', 'LICENSE.md', 'LICENCE', 'license']
        .map((file) => join(root, folder, file))
        .find((file) => existsSync(file));
      const licence =
        text === undefined ? `Licence: ${license}` : readFileSync(text, 'utf8').trim();
      return `${name} ${version}\n\n${licence}\n`;
    })
    .join('\n---\n\n');
}
