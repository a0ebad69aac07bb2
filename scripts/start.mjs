/**
 * The main job once through, for real: makes a fleet from profiles.example/ in a temporary
 * folder, and pauses and resumes it with the built `fleet` command, as an operator would.
 * What each verb does is the command's own to say: its output is shown as it is.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'fleet-demo-'));
cpSync(join(repository, 'profiles.example'), root, { recursive: true });
process.stdout.write(`A fleet, made from profiles.example/: ${root}\n`);

const lane = 'lane-a';

fleet(0, 'status');
say('Pause everything, from the root.');
fleet(0, 'pause', '--reason', 'trying the lever', '--ttl', '30m');
fleet(0, 'assert', 'paused', '-p', lane);
say('Pause one lane as well, and resume the root: the lane stays paused.');
fleet(0, 'pause', '-p', lane, '--reason', 'runaway fan-out');
fleet(0, 'resume');
fleet(0, 'status');
fleet(0, 'assert', 'paused', '-p', lane);
say('An assertion that is false answers with exit status 1.');
fleet(1, 'assert', 'running', '-p', lane);
say('Resume the lane.');
fleet(0, 'resume', '-p', lane);
fleet(0, 'assert', 'running', '-p', lane);
fleet(0, 'status');
say(`Nothing is held any more. The fleet stays for you: npx fleet --root ${root} status`);

/** @param {string} sentence */
function say(sentence) {
  process.stdout.write(`\n${sentence}\n`);
}

/**
 * Runs `fleet` with these words, and ends the demonstration where it answers otherwise.
 * @param {number} expected
 * @param {...string} words
 */
function fleet(expected, ...words) {
  const shown = words.map((word) => (/\s/.test(word) ? `"${word}"` : word)).join(' ');
  process.stdout.write(`\n$ npx fleet --root ${root} ${shown}\n`);
  const launcher = join(repository, 'packages/fleet-cli/bin/fleet.js');
  const { status, signal } = spawnSync(process.execPath, [launcher, '--root', root, ...words], {
    stdio: 'inherit',
  });
  if (status !== expected) {
    process.stderr.write(`that ended with ${status ?? signal} where ${expected} was due\n`);
    process.exit(1);
  }
}
