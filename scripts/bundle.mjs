/**
 * Bundles one TypeScript entry into a file that this Node can import, with edits to its sources
 * where a test wants to run broken code.
 * What runs the result is the caller's affair: `run.mjs`, or a test that starts processes.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
// Inside node_modules, so that packages left external are found from there.
const cache = join(root, 'node_modules', '.cache', 'fleet');

/** Put together, since this file is bundled as well, and is then replaced wherever it stands whole (below). */
const OWN_URL = `import.${'meta'}.url`;

/** A module has no `require` of its own, which bundled CommonJS packages call for what Node brings. */
const REQUIRE = `import { createRequire as requireOf } from 'node:module'; const require = requireOf(${OWN_URL});`;

/**
 * Edits to one source file; `file` is the end of its path, in whole segments. Every `find` must
 * occur exactly once.
 * @typedef {{ file: string, edits: ReadonlyArray<readonly [find: string, replace: string]> }} Mutation
 */

/**
 * Returns the absolute path of the built `.mjs`. Its name is a digest of its content, so
 * concurrent callers never see each other's half-written file. Packages stay external, unless
 * `packages` is `bundle`: for a program that is started often, or outside the repository. That has no
 * source map either: to find a hundred modules and to read a map that nobody uses is half of a start.
 * Throws if an edit does not fit its source exactly once: a mutant that changes nothing proves
 * nothing.
 * @param {string} entry
 * @param {{ mutate?: readonly Mutation[], packages?: 'external' | 'bundle' }} [options]
 */
export async function bundleFile(entry, { mutate = [], packages = 'external' } = {}) {
  const touched = mutate.map(() => /** @type {string[]} */ ([]));
  const { outputFiles } = await build({
    entryPoints: [resolve(entry)],
    absWorkingDir: root,
    bundle: true,
    write: false,
    outdir: cache,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages,
    ...(packages === 'bundle' ? { banner: { js: REQUIRE } } : { sourcemap: 'inline' }),
    logLevel: 'silent',
    plugins: [sourcePlugin(mutate, touched)],
  });
  touched.forEach((paths, index) => {
    if (paths.length !== 1) {
      const found = paths.length === 0 ? 'no file' : paths.join(' and ');
      throw new Error(`\`${mutate[index]?.file}\` must name one bundled file, but names ${found}`);
    }
  });
  const output = outputFiles[0];
  if (output === undefined) throw new Error(`nothing was built from \`${entry}\``);
  return keep(output.contents, basename(entry, extname(entry)));
}

/**
 * @param {readonly Mutation[]} mutate
 * @param {string[][]} touched
 * @returns {import('esbuild').Plugin}
 */
function sourcePlugin(mutate, touched) {
  return {
    name: 'fleet-source',
    setup({ onLoad }) {
      onLoad({ filter: /\.(ts|mjs|js)$/ }, ({ path }) => {
        let text = readFileSync(path, 'utf8');
        mutate.forEach(({ file, edits }, index) => {
          if (!`${sep}${path}`.endsWith(`${sep}${file}`)) return;
          touched[index]?.push(path);
          for (const [find, replace] of edits) text = replaceOnce(text, find, replace, file);
        });
        // A source that asks where it lives means its own folder, not the cache.
        text = text.replaceAll(OWN_URL, JSON.stringify(pathToFileURL(path).href));
        return { contents: text, loader: path.endsWith('.ts') ? 'ts' : 'js' };
      });
    },
  };
}

/**
 * @param {string} text
 * @param {string} find
 * @param {string} replace
 * @param {string} file
 */
function replaceOnce(text, find, replace, file) {
  const parts = text.split(find);
  if (find === '' || parts.length !== 2) {
    throw new Error(`\`${find}\` occurs ${parts.length - 1} times in \`${file}\`, not once`);
  }
  return parts.join(replace);
}

/**
 * @param {Uint8Array} contents
 * @param {string} name
 */
function keep(contents, name) {
  const digest = createHash('sha256').update(contents).digest('hex').slice(0, 16);
  const path = join(cache, `${name}-${digest}.mjs`);
  const draft = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(draft, contents);
  renameSync(draft, path);
  return path;
}
