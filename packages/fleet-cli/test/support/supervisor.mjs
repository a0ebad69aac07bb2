/**
 * Starts a program again whenever it exits, and writes its process id to a file. Without the file `keep` beside
 * that, it is not started again. Words: the folder of these files, and the program with its arguments.
 */
import { spawn } from 'node:child_process';
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', program = '', ...words] = process.argv.slice(2);

function start() {
  const child = spawn(program, words, { stdio: 'inherit' });
  writeFileSync(join(folder, 'pid.new'), String(child.pid));
  renameSync(join(folder, 'pid.new'), join(folder, 'pid'));
  child.on('exit', () => {
    if (existsSync(join(folder, 'keep'))) start();
  });
}

writeFileSync(join(folder, 'keep'), '');
start();
setInterval(() => {}, 60_000);
