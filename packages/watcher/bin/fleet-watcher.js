#!/usr/bin/env node
/**
 * Starts the built watcher, or says in one sentence why it cannot.
 * Written in old syntax, so that an older Node can parse it and print that sentence.
 */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < 20 || (major === 20 && minor < 19)) {
  refuse(`fleet-watcher needs Node 20.19 or newer, and this is Node ${process.versions.node}.`);
} else if (process.platform !== 'linux' && process.platform !== 'darwin') {
  refuse(`fleet-watcher runs on Linux and macOS, and this is ${process.platform}.`);
} else {
  const built = new URL('../dist/bin.js', import.meta.url);
  import(built.href).catch((error) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND' && error.url === built.href) {
      refuse('fleet-watcher is not built yet: run `npm run build` first.');
      return;
    }
    process.stderr.write(`fleet-watcher could not start: ${error.stack || error}\n`);
    process.exitCode = 1;
  });
}

/** @param {string} sentence */
function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 2;
}
