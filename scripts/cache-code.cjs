/**
 * Runs the bundled `fleet` once through its usual verbs, and writes down what V8 compiled for it:
 *
 *   node scripts/cache-code.cjs BUNDLE CACHE
 *
 * Only a start is made faster by that. What is not in the cache is compiled when it is needed.
 */
const { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { tmpdir } = require('node:os');
const { dirname, join } = require('node:path');
const { Script } = require('node:vm');

const [, launcher = '', file = '', cache = ''] = process.argv;
const script = new Script(Module.wrap(readFileSync(file, 'utf8')), { filename: file });
const root = mkdtempSync(join(tmpdir(), 'fleet-warm-'));
mkdirSync(join(root, 'profiles', 'lane-a'), { recursive: true });

const calls = [
  ['pause', '-p', 'lane-a', '--reason', 'warm', '--ttl', '1h'],
  ['pause'],
  ['status'],
  ['resume'],
  ['assert', 'paused', '-p', 'lane-a', '--json'],
];

const next = () => {
  const words = calls.shift();
  if (words === undefined) {
    writeFileSync(cache, script.createCachedData());
    rmSync(root, { recursive: true });
    if (process.exitCode) throw new Error(`a warming call ended with ${process.exitCode}`);
    return;
  }
  process.argv = [process.execPath, launcher, '--root', root, '--quiet', ...words];
  script.runInThisContext()({}, Module.createRequire(file), {}, file, dirname(file));
  // The verbs of these calls are done within one turn of the loop.
  setImmediate(next);
};
next();
