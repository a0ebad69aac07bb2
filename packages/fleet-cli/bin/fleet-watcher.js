#!/usr/bin/env node
/**
 * `fleet watcher` under the name that service units call, so that whoever installs the command has
 * both. `packages/watcher` has the same name for whoever installs the watcher alone.
 */
const words = process.argv.slice(2);
const asked = words[0] === '--version' ? ['--version'] : ['watcher', ...words];
process.argv.splice(2, words.length, ...asked);
require('./fleet.js');
