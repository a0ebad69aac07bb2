#!/usr/bin/env node
/**
 * Starts the built `fleet` command, or says in one sentence why it cannot.
 * Old enough in its syntax that a Node below the floor reads it and prints that sentence.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  refuse(`fleet needs Node 20.19 or newer, and this is Node ${process.versions.node}.`);
} else if (process.platform !== 'linux' && process.platform !== 'darwin') {
  refuse(`fleet runs on Linux and macOS, and this is ${process.platform}.`);
} else {
  const bundle = new URL('../dist/bundle/bin.js', import.meta.url);
  import(bundle.href).catch((error) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && error.url === bundle.href) {
      refuse('fleet is not built yet: run `npm run build` first.');
      return;
    }
    // Not 1: to `fleet assert` that would be an answer, and a broken start knows none.
    process.stderr.write(`fleet could not start: ${error.stack || error}\n`);
    process.exitCode = 3;
  });
}

/** @param {string} sentence */
function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}
