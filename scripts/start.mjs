/**
 * The main job once through, for real: an example fleet with its watcher and a gateway in each lane,
 * paused and resumed as an operator would, while somebody talks to it; then it stays up until Ctrl-C,
 * where somebody is at a terminal. `--leave`: it ends after the tour; `--stay`: it does not. Which processes these are is `demo-fleet.mjs`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { demoFleet, launcher, repository } from './demo-fleet.mjs';

const words = process.argv.slice(2);
const leaves = words.includes('--leave') || !(process.stdin.isTTY || words.includes('--stay'));
if (words.length > 1 || words.some((word) => word !== '--leave' && word !== '--stay')) {
  process.stderr.write('usage: npm start [-- --leave | --stay]\n');
  process.exit(2);
}

const SAY = 'examples/sample-gateway/dist/say.js';
const ENOUGH_MS = 30_000;
const root = mkdtempSync(join(tmpdir(), 'fleet-demo-'));
const home = join(root, 'profiles', 'lane-a');
cpSync(join(repository, 'profiles.example'), root, { recursive: true });
const fleet = demoFleet(root, (name, how) => print(`\n${name} has ended: ${how}`));

let asked = false;
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => {
    // Asked twice, it does not wait for work in hand.
    if (asked) process.exit(1);
    asked = true;
    void end(0);
  });
}
process.stdout.on('error', () => process.exit(1));
// However this ends, nothing is left running.
process.on('exit', () => fleet.kill());

try {
  const { watcher, lanes } = await fleet.start();
  print(`A fleet, made from profiles.example/: ${root}\n`);
  for (const { name, url, pid, log } of [...lanes, watcher]) {
    print(
      `  ${name.padEnd(8)} ${url.padEnd(23)} pid ${`${pid}`.padEnd(7)} log ${relative(root, log)}`,
    );
  }
  await tour();
  if (leaves) await end(0);
  else stay(watcher.url);
} catch (error) {
  if (!asked) {
    process.stderr.write(`\n${error instanceof Error ? error.message : error}\n`);
    await end(1);
  }
}

async function tour() {
  heading('Every gateway is connected, and has acknowledged that nothing holds it.');
  await npx(0, 'assert', 'acknowledged', '--within', '30s');

  heading('Somebody asks lane-a for something that takes a while.');
  const turn = sayInBackground('count to 1000', 'long');
  await until('the turn runs', () => turn.lines().length > 0);
  print(`  ${turn.lines().join('\n  ')} …`);

  heading('Pause everything, and wait until every gateway has said that it refuses new work.');
  await npx(0, 'pause', '--reason', 'trying the lever', '--ttl', '30m', '--wait');

  heading('A message to the paused lane is answered with the notice.');
  await say(1, 'hello');

  heading('The turn in hand goes on, and may still be answered: that starts nothing new.');
  const before = turn.lines().length;
  await until('the turn goes on', () => turn.lines().length > before + 1);
  await say(0, 'stop', '--conversation', 'long');
  const lines = await turn.ended();
  print(`  its turn said: … ${lines.slice(-3).join(', ')}`);
  if (!lines.at(-1)?.startsWith('stopped')) throw new Error('the turn did not finish');

  heading('What holds, and what it kept back.');
  await npx(0, 'status');
  await npx(0, 'history', '--refused');

  heading('Resume, and the same message is served.');
  await npx(0, 'resume', '--wait');
  await say(0, 'hello');
}

/** @param {string} url */
function stay(url) {
  heading('The fleet stays up until Ctrl-C. Look at it, and try it from another terminal:');
  const fleetIn = `npx fleet --root ${root}`;
  for (const [what, command] of [
    ['dashboard', url],
    ['pause', `${fleetIn} pause -p lane-b --reason "by me" --wait`],
    ['resume', `${fleetIn} resume -p lane-b --wait`],
    ['status', `${fleetIn} status --watch`],
    ['events', `${fleetIn} events`],
    ['talk', `node ${SAY} ${home} "count to 5"`],
    ['/pause', `node ${SAY} ${home} "/pause for lunch" --as operator`],
  ]) {
    print(`  ${what?.padEnd(10)} ${command}`);
  }
}

/**
 * Ends everything, and then this process.
 * @param {number} status
 */
async function end(status) {
  if (!leaves && status === 0)
    print('\nStopping: work in hand finishes (Ctrl-C again does not wait)');
  await fleet.stop();
  print(`\nNothing is left running. The folder stays: rm -r ${root}`);
  process.exit(status);
}

/**
 * @param {number} expected
 * @param {...string} args
 */
async function npx(expected, ...args) {
  await shown(expected, `npx fleet --root ${root}`, [launcher, '--root', root], args);
}

/**
 * @param {number} expected
 * @param {...string} args
 */
async function say(expected, ...args) {
  await shown(expected, `node ${SAY} ${home}`, [join(repository, SAY), home], args);
}

/**
 * Runs it as it is shown, and ends the tour where it answers otherwise than due.
 * @param {number} expected
 * @param {string} command
 * @param {readonly string[]} start
 * @param {readonly string[]} args
 */
async function shown(expected, command, start, args) {
  const quoted = args.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
  print(`\n$ ${command} ${quoted}`);
  const child = spawn(process.execPath, [...start, ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [status, signal] = await once(child, 'exit');
  if (asked) throw new Error('interrupted');
  if (status !== expected) {
    throw new Error(`that ended with ${status ?? signal} where ${expected} was due`);
  }
}

/**
 * @param {string} text
 * @param {string} conversation
 */
function sayInBackground(text, conversation) {
  const args = [join(repository, SAY), home, text, '--conversation', conversation];
  print(`\n$ node ${SAY} ${home} "${text}" --conversation ${conversation} &`);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const lines = () => out.split('\n').slice(0, -1);
  return {
    lines,
    async ended() {
      const [status] = await ended;
      if (status !== 0) throw new Error(`the message in the background ended with ${status}`);
      return lines();
    },
  };
}

/**
 * @param {string} what
 * @param {() => boolean} look
 */
async function until(what, look) {
  const endMs = performance.now() + ENOUGH_MS;
  while (!look()) {
    if (asked) throw new Error('interrupted');
    if (performance.now() > endMs) throw new Error(`not in ${ENOUGH_MS / 1000} s: ${what}`);
    await delay(30);
  }
}

/** @param {string} sentence */
function heading(sentence) {
  print(`\n${sentence}`);
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
