/**
 * A gateway that does the turns in its homes' `inbox/`, one after another: `<id>.turn` takes a moment,
 * `<id>.stuck` never ends by itself. It writes each beginning to `begun.log` and moves what it has done to
 * `done/`. Words: its homes.
 * It writes whom it tells that their work is cut to `told.log`.
 * `mode` in the first home: `dies` ends it after two seconds, `deaf` cannot tell anybody.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { openGate } from '@fleet-estop/gateway';

const homes = process.argv.slice(2);
const [first = ''] = homes;
const modeFile = join(first, 'mode');
const mode = existsSync(modeFile) ? readFileSync(modeFile, 'utf8').trim() : '';
const gate = openGate({
  home: homes,
  software: 'restartable/1',
  resumeSpreadMs: 1,
});
gate.onNotice(async ({ profile, conversation, reason }) => {
  if (mode === 'deaf') throw new Error('the channel is down');
  const told = join(homes.find((home) => basename(home) === profile) ?? '', 'told.log');
  appendFileSync(told, `${conversation}: ${reason}\n`);
});
if (mode === 'dies') setTimeout(() => process.exit(1), 2_000);

function serve(home: string): void {
  const profile = basename(home);
  const inbox = join(home, 'inbox');
  const done = join(home, 'done');
  for (const folder of [inbox, done]) mkdirSync(folder, { recursive: true });
  gate.announce('turn', profile);
  let isBusy = false;
  setInterval(() => {
    const [name] = readdirSync(inbox).sort();
    if (isBusy || name === undefined) return;
    if (!gate.admit({ door: 'turn', principal: 'someone', profile }).admitted) return;
    const work = gate.begin({ door: 'turn', id: name, profile, conversation: `talk of ${name}` });
    if (work === null) return;
    isBusy = true;
    appendFileSync(join(home, 'begun.log'), `${name}\n`);
    if (name.endsWith('.stuck')) return;
    setTimeout(() => {
      renameSync(join(inbox, name), join(done, name));
      work.end();
      isBusy = false;
    }, 30);
  }, 10);
}

for (const home of homes) serve(home);
process.on('SIGTERM', () => {
  gate.close();
  process.exit(0);
});
