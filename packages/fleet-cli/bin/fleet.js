#!/usr/bin/env node
/**
 * Starts the built `fleet` command, or says in one sentence why it cannot.
 * Old enough in its syntax that a Node below the floor reads it and prints that sentence. A script
 * and not a module (`package.json` beside it says so): Node starts those several milliseconds sooner.
 */
const { readFileSync } = require('node:fs');
const Module = require('node:module');
const { join } = require('node:path');
const { Script } = require('node:vm');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  refuse(`fleet needs Node 20.19 or newer, and this is Node ${process.versions.node}.`);
} else if (process.platform !== 'linux' && process.platform !== 'darwin') {
  refuse(`fleet runs on Linux and macOS, and this is ${process.platform}.`);
} else {
  start(join(__dirname, '../dist/bundle/bin.cjs'));
}

/** @param {string} file */
function start(file) {
  const source = contentOf(file);
  if (source === undefined) {
    refuse('fleet is not built yet: run `npm run build` first.');
    return;
  }
  try {
    // Compiled by the build, for the Node that built it; another one ignores it and compiles anew.
    // The name of the cache is the digest that the source begins with: they never part.
    const cachedData = contentOf(`${file}.${source.toString('latin1', 2, 18)}.cache`);
    const script = new Script(Module.wrap(source.toString('utf8')), { filename: file, cachedData });
    script.runInThisContext()({}, Module.createRequire(file), {}, file, join(file, '..'));
  } catch (error) {
    // Not 1: to `fleet assert` that would be an answer, and a broken start knows none.
    process.stderr.write(
      `fleet could not start: ${error instanceof Error ? error.stack : error}\n`,
    );
    process.exitCode = 3;
  }
}

/** @param {string} file */
function contentOf(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

/** @param {string} sentence */
function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}
