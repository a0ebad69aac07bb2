/**
 * The table of exit statuses: for every verb, what is done to a small fleet, the words, and the status.
 * That it is whole, and true, is `exit-codes.test.ts`.
 */
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { VERBS } from '../../src/verb-table.ts';
import {
  exists,
  type Fleet,
  place,
  preloaded,
  type RunOptions,
  spoil,
  spoilProfiles,
} from '../support/fleet.ts';
import { WATCHER } from '../support/watcher.ts';
import { WORKING_GATEWAY } from '../support/working-gateways.ts';

/** `gate --` is the gate that wraps a command: it is documented by itself. */
export type Row = readonly [
  verb: string,
  code: number,
  what: string,
  words: readonly string[],
  arrange?: (fleet: Fleet) => RunOptions | undefined,
];

const HELD = { generation: 'g1', holds: [{ id: 'h1', holder: 'sre', reason: 'x' }] };
const OWN = { generation: 'g1', holds: [{ id: 'h1', holder: 'operator', reason: 'x' }] };

const arranged = (act: (fleet: Fleet) => unknown) => (fleet: Fleet) => {
  act(fleet);
  return undefined;
};
const held = arranged(({ sentinel }) => place(sentinel(), HELD));
const bothHeld = arranged(({ sentinel }) =>
  place(sentinel(), {
    ...HELD,
    holds: [...HELD.holds, ...OWN.holds.map((hold) => ({ ...hold, id: 'h2' }))],
  }),
);
const ownHeld = arranged(({ sentinel }) => place(sentinel(), OWN));
const unseen = arranged(({ sentinel }) => spoil(sentinel()));
const torn = arranged(({ sentinel }) => place(sentinel(), 'torn {'));
/** What no user may write over, not even the superuser. */
const folderInItsPlace = arranged(({ sentinel }) => mkdirSync(sentinel()));
const noProfiles = arranged(({ root }) => spoilProfiles(root));
/** What shows that it is a fleet is gone. */
const noFleet = arranged(({ root }) => rmSync(join(root, 'profiles'), { recursive: true }));
const brokenLane = arranged(({ folder }) =>
  writeFileSync(join(folder('lane-a'), 'profile.yaml'), 'labels: ['),
);
const journalIsFolder = arranged(({ root }) =>
  mkdirSync(join(root, '.fleet', 'journal.ndjson'), { recursive: true }),
);
const fleetFolderIsFile = arranged(({ root }) => writeFileSync(join(root, '.fleet'), ''));
const receiptsAreFolder = arranged(({ folder }) =>
  mkdirSync(join(folder('lane-a'), '.fleet', 'refused.ndjson'), { recursive: true }),
);
const reasonRequired = arranged(({ root }) =>
  writeFileSync(join(root, 'fleet.yaml'), 'version: 1\npolicies:\n  require_reason: true\n'),
);
/** Linux has such a file; where there is none the test fails at opening it. */
const diskFull = (): RunOptions => {
  const stdout = openSync('/dev/full', 'w');
  onTestFinished(() => closeSync(stdout));
  return { stdout };
};
/** Before each of its writes, the sentinel is somebody else's newer one. */
const pestered = ({ sentinel }: Fleet): RunOptions => {
  place(sentinel(), OWN);
  return preloaded(
    `const fs = require('node:fs');
     const { mkdirSync } = fs;
     fs.mkdirSync = (path, ...rest) => {
       if (String(path).includes('.ESTOP')) {
         const generation = 'g' + process.hrtime.bigint();
         fs.writeFileSync(${JSON.stringify(sentinel())}, JSON.stringify({ ...${JSON.stringify(OWN)}, generation }));
       }
       return mkdirSync(path, ...rest);
     };`,
  );
};
/** A failure that nobody foresaw, in the middle of any verb. */
const failing = (): RunOptions =>
  preloaded(`Date.now = () => { throw new Error('the clock broke'); };`);

/** A TERM to the command itself, while it places its hold. */
const interrupted = (): RunOptions =>
  preloaded(
    `const fs = require('node:fs');
     const { mkdirSync } = fs;
     fs.mkdirSync = (path, ...rest) => {
       if (String(path).includes('.ESTOP')) {
         fs.mkdirSync = mkdirSync;
         process.kill(process.pid, 'SIGTERM');
       }
       return mkdirSync(path, ...rest);
     };`,
  );

/** A watcher runs. It is waited for here, since whoever runs the row blocks this process. */
const watched = arranged(({ root }) => {
  const words = [WATCHER, '--root', root, '--no-http'];
  const child = spawn(process.execPath, words, { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const socket = join(root, '.fleet', 'http.sock');
  const endsAt = performance.now() + 10_000;
  while (!exists(socket)) {
    if (performance.now() > endsAt) throw new Error('no watcher came');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
});

/** The same, with a gateway of the lane. */
const served = arranged((fleet) => {
  watched(fleet);
  const { root } = fleet;
  const child = spawn(process.execPath, [WORKING_GATEWAY, root, 'g', 'lane-a'], {
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const endsAt = performance.now() + 10_000;
  while (fleet.json(['status', '-p', 'lane-a']).document.lanes[0].gateways.length === 0) {
    if (performance.now() > endsAt) throw new Error('no gateway came');
  }
});
/** Means of the lane, and a watcher. */
const withMeans = (...command: readonly string[]) =>
  arranged((fleet) => {
    const means = JSON.stringify({ restart: { command } });
    writeFileSync(join(fleet.folder('lane-a'), 'profile.yaml'), `version: 1\ngateway: ${means}\n`, {
      mode: 0o644,
    });
    watched(fleet);
  });
/** They start a gateway, which goes on for a while by itself. */
const STARTING = [
  'sh',
  '-c',
  'timeout 20 "$0" "$1" "$(dirname "$(dirname "$FLEET_HOME")")" new lane-a & exit 0',
  process.execPath,
  WORKING_GATEWAY,
] as const;

const servedAndFull = (fleet: Fleet): RunOptions => {
  served(fleet);
  return diskFull();
};

/** Ctrl-C, as soon as the command waits for it. */
const interruptedWhileWaiting = (): RunOptions =>
  preloaded(
    `const timer = setInterval(() => {
       if (process.listenerCount('SIGINT') === 0) return;
       clearInterval(timer);
       process.kill(process.pid, 'SIGINT');
     }, 10);`,
  );

const sh = (line: string) => ['--', 'sh', '-c', line];
const NOWHERE = '/nowhere/fleet';
const RESTART = ['restart', '-p', 'lane-a', '--timeout', '1s', '--settle', '1s'] as const;
const NOPE = ['-p', 'nope'];
const LABELLED_TRUE = ['gate', '-l', 'tier=x', '--', 'true'];
const WITHIN_A_SECOND = ['assert', 'acknowledged', '--within', '1s'];

/** Of rows in which the command that is wrapped says the status. */
export const OWN_STATUS = 'the command’s own';

const ROWS: readonly Row[] = [
  ['pause', 0, 'a free fleet', ['pause']],
  ['pause', 0, 'a torn sentinel is held, and then by this hold too', ['pause'], torn],
  ['pause', 1, 'a folder in the sentinel’s place', ['pause'], folderInItsPlace],
  ['pause', 2, 'an unknown profile', ['pause', ...NOPE]],
  ['pause', 2, 'a known and an unknown profile', ['pause', '-p', 'lane-a', ...NOPE]],
  ['pause', 2, 'an unknown option', ['pause', '--frob']],
  ['pause', 2, 'no such fleet', ['pause', '--root', NOWHERE]],
  ['pause', 2, 'a folder that is no fleet', ['pause'], noFleet],
  ['pause', 2, 'a policy that is violated', ['pause'], reasonRequired],
  ['pause', 3, 'an answer that cannot be written', ['pause', '--json'], diskFull],
  ['pause', 4, 'a watcher, and no gateway', ['pause', '--wait'], watched],
  ['pause', 5, 'no watcher', ['pause', '--wait', '--timeout', '1s']],
  ['pause', 2, 'a time to wait, and no waiting', ['pause', '--timeout', '1s']],
  ['pause', 2, 'waiting for what is not done', ['pause', '--wait', '--dry-run']],
  ['pause', 1, 'a folder, and no waiting then', ['pause', '--wait'], folderInItsPlace],
  ['pause', 6, 'a hold where none was expected', ['pause', '--if-generation', 'none'], held],

  ['pause', 4, 'a watcher, and no gateway to drain', ['pause', '--drain'], watched],
  ['pause', 5, 'no watcher, and draining', ['pause', '--drain', '--timeout', '1s']],
  ['pause', 2, 'what is not waited for', ['pause', '--exclude-wedged']],

  ['drain', 0, 'a gateway with nothing in hand', ['drain'], served],
  ['drain', 2, 'an unknown profile', ['drain', ...NOPE]],
  ['drain', 2, 'an unknown option', ['drain', '--frob']],
  ['drain', 2, 'no such fleet', ['drain', '--root', NOWHERE]],
  ['drain', 2, 'a folder that is no fleet', ['drain'], noFleet],
  ['drain', 2, 'a policy that is violated', ['drain'], reasonRequired],
  ['drain', 3, 'an answer that cannot be written', ['drain', '--json'], servedAndFull],
  ['drain', 4, 'a watcher, and no gateway', ['drain'], watched],
  ['drain', 5, 'no watcher', ['drain', '--timeout', '0']],

  ['restart', 0, 'means that start a gateway', RESTART, withMeans(...STARTING)],
  ['restart', 1, 'means that fail', RESTART, withMeans('false')],
  ['restart', 2, 'no means', ['restart', '-p', 'lane-a'], watched],
  ['restart', 2, 'nothing selected', ['restart']],
  ['restart', 2, 'an unknown profile', ['restart', ...NOPE]],
  ['restart', 2, 'an unknown option', ['restart', '--frob']],
  ['restart', 2, 'no such fleet', ['restart', '-p', 'lane-a', '--root', NOWHERE]],
  [
    'restart',
    3,
    'an answer that cannot be written',
    [...RESTART, '--json'],
    (fleet) => {
      withMeans(...STARTING)(fleet);
      return diskFull();
    },
  ],
  ['restart', 5, 'no watcher', ['restart', '-p', 'lane-a']],

  ['resume', 0, 'one’s own hold', ['resume'], ownHeld],
  ['resume', 0, 'nothing held', ['resume']],
  ['resume', 1, 'another holder’s hold', ['resume'], held],
  ['resume', 2, 'an unknown profile', ['resume', ...NOPE]],
  ['resume', 2, 'an unknown option', ['resume', '--frob']],
  ['resume', 2, 'no such fleet', ['resume', '--root', NOWHERE]],
  ['resume', 2, 'a folder that is no fleet', ['resume'], noFleet],
  ['resume', 3, 'a lane under a root that cannot be looked at', ['resume', '-p', 'lane-a'], unseen],
  ['resume', 1, 'another holder’s hold, and no waiting then', ['resume', '--wait'], held],
  ['resume', 4, 'a watcher, and no gateway', ['resume', '--wait'], watched],
  ['resume', 5, 'no watcher', ['resume', '--wait', '--timeout', '1s'], ownHeld],
  ['resume', 7, 'one’s own hold beside another’s', ['resume'], bothHeld],
  ['resume', 6, 'another generation', ['resume', '--if-generation', 'g0'], ownHeld],

  ['extend', 0, 'one’s own hold', ['extend', '--ttl', '1h', '--shorten'], ownHeld],
  ['extend', 1, 'one that ends later', ['extend', '--ttl', '1h'], ownHeld],
  ['extend', 1, 'no hold', ['extend', '--ttl', '1h']],
  ['extend', 1, 'another holder’s hold', ['extend', '--ttl', '1h'], held],
  ['extend', 2, 'no deadline', ['extend'], ownHeld],
  ['extend', 2, 'an unknown profile', ['extend', '--ttl', '1h', ...NOPE]],
  ['extend', 2, 'a folder that is no fleet', ['extend', '--ttl', '1h'], noFleet],
  ['extend', 3, 'a scope that cannot be looked at', ['extend', '--ttl', '1h'], unseen],
  ['extend', 1, 'a torn sentinel, in which no such hold is', ['extend', '--ttl', '1h'], torn],
  ['extend', 6, 'others who never stop writing', ['extend', '--ttl', '1h', '--shorten'], pestered],

  ['status', 0, 'a free fleet', ['status']],
  ['status', 0, 'a held fleet', ['status'], held],
  ['status', 2, 'an unknown profile', ['status', ...NOPE]],
  ['status', 2, 'an unknown option', ['status', '--frob']],
  ['status', 2, 'no such fleet', ['status', '--root', NOWHERE]],
  ['status', 3, 'a folder that is no fleet', ['status'], noFleet],
  ['status', 3, 'a scope that cannot be looked at', ['status'], unseen],
  ['status', 3, 'an answer that cannot be written', ['status'], diskFull],

  ['explain', 0, 'a held fleet', ['explain'], held],
  ['explain', 2, 'an unknown profile', ['explain', ...NOPE]],
  ['explain', 3, 'a folder that is no fleet', ['explain'], noFleet],
  ['explain', 3, 'a scope that cannot be looked at', ['explain', '-p', 'lane-a'], unseen],

  ['assert', 0, 'running, in a free fleet', ['assert', 'running']],
  ['assert', 0, 'paused, in a held one', ['assert', 'paused'], held],
  ['assert', 0, 'true at once, within a time', ['assert', 'running', '--within', '1h']],
  ['assert', 1, 'paused, in a free fleet', ['assert', 'paused']],
  ['assert', 1, 'running, in a held one', ['assert', 'running'], held],
  ['assert', 1, 'held by another', ['assert', 'held-by', 'deploy'], held],
  ['assert', 1, 'free of its holder', ['assert', 'free-of', 'sre'], held],
  ['assert', 1, 'acknowledged by nobody', ['assert', 'acknowledged'], watched],
  ['assert', 3, 'acknowledged, without a watcher', ['assert', 'acknowledged']],
  ['assert', 1, 'drained, in a free fleet', ['assert', 'drained'], watched],
  ['assert', 3, 'drained, without a watcher', ['assert', 'drained'], held],
  ['assert', 5, 'not drained in time', ['assert', 'drained', '--within', '1s'], watched],
  ['assert', 5, 'acknowledged by nobody in time', WITHIN_A_SECOND, watched],
  ['assert', 2, 'nothing claimed', ['assert']],
  ['assert', 2, 'an unknown claim', ['assert', 'happy']],
  ['assert', 2, 'an unknown profile', ['assert', 'running', ...NOPE]],
  ['assert', 2, 'no such fleet', ['assert', 'running', '--root', NOWHERE]],
  ['assert', 3, 'paused, in a folder that is no fleet', ['assert', 'paused'], noFleet],
  ['assert', 3, 'running, with a scope that cannot be looked at', ['assert', 'running'], unseen],
  ['assert', 3, 'paused, with a scope that cannot be looked at', ['assert', 'paused'], unseen],
  [
    'assert',
    3,
    'a scope that cannot be looked at to the end',
    ['assert', 'running', '--within', '1s'],
    unseen,
  ],
  [
    'assert',
    3,
    'a file that cannot be written',
    ['assert', 'running', '--format', 'junit'],
    diskFull,
  ],
  ['assert', 5, 'not so within the time', ['assert', 'paused', '--within', '1s']],

  ['history', 0, 'nothing recorded', ['history']],
  ['history', 2, 'a profile nobody ever heard of', ['history', ...NOPE]],
  ['history', 2, 'a time that is none', ['history', '--since', 'soon']],
  ['history', 3, 'a folder that is no fleet', ['history'], noFleet],
  ['history', 0, 'no receipts', ['history', '--refused']],
  ['history', 2, 'a door of a journal', ['history', '--door', 'cron']],
  ['history', 3, 'a folder in the journal’s place', ['history'], journalIsFolder],
  ['history', 3, 'a folder in the receipts’ place', ['history', '--refused'], receiptsAreFolder],

  ['doctor', 0, 'a sound fleet', ['doctor']],
  ['doctor', 1, 'a profile.yaml that is none', ['doctor'], brokenLane],
  ['doctor', 1, 'no such fleet', ['doctor', '--root', NOWHERE]],
  ['doctor', 2, 'an unknown option', ['doctor', '--frob']],
  ['doctor', 2, 'repairing a folder that is no fleet', ['doctor', '--fix'], noFleet],
  ['doctor', 3, 'a folder that is no fleet', ['doctor'], noFleet],
  ['doctor', 3, 'a journal that cannot be read', ['doctor'], journalIsFolder],

  ['profiles', 0, 'a sound fleet', ['profiles']],
  ['profiles', 2, 'an unknown profile', ['profiles', ...NOPE]],
  ['profiles', 3, 'a folder that is no fleet', ['profiles'], noFleet],
  ['profiles', 3, 'a profile.yaml that is none', ['profiles'], brokenLane],
  ['profiles', 3, 'a scope that cannot be looked at', ['profiles'], unseen],

  ['init', 0, 'a fleet that is there already', ['init']],
  ['init', 1, 'a file above it', ['init', '--root', '/dev/null/fleet']],
  ['init', 2, 'a folder that is named twice', ['init', 'other']],
  ['init', 2, 'an unknown option', ['init', '--frob']],
  ['init', 3, 'an answer that cannot be written', ['init', '--json'], diskFull],

  ['watcher', 0, 'the state, printed once', ['watcher', '--once']],
  ['watcher', 1, 'a file in the place of .fleet/', ['watcher', '--no-http'], fleetFolderIsFile],
  ['watcher', 2, 'an unknown option', ['watcher', '--frob']],
  ['watcher', 2, 'a port that is none', ['watcher', '--port', 'http']],
  ['watcher', 2, 'no such fleet', ['watcher', '--root', NOWHERE]],
  ['watcher', 2, 'a folder that is no fleet', ['watcher'], noFleet],
  ['watcher', 0, 'a torn sentinel, which plainly holds', ['watcher', '--once'], torn],
  ['watcher', 3, 'a sentinel that nobody can look at', ['watcher', '--once'], unseen],
  ['watcher', 5, 'nobody is ready', ['watcher', '--check', '--timeout', '1s']],

  ['events', 0, 'interrupted while it waits for a watcher', ['events'], interruptedWhileWaiting],
  ['events', 2, 'an unknown profile', ['events', ...NOPE]],
  ['events', 2, 'a type that no event has', ['events', '--type', 'hold.armd']],
  ['events', 2, 'no such fleet', ['events', '--root', NOWHERE]],
  ['events', 3, 'a folder that is no fleet', ['events'], noFleet],
  ['events', 3, 'no watcher, and no waiting', ['events', '--no-wait']],
  ['events', 3, 'a line that cannot be written', ['events'], diskFull],

  ['completion', 0, 'a shell that is known', ['completion', 'bash']],
  ['completion', 2, 'one that is not', ['completion', 'ksh']],
  ['completion', 2, 'none', ['completion']],
  ['completion', 3, 'a script that cannot be written', ['completion', 'zsh'], diskFull],

  ['window', 0, OWN_STATUS, ['window', ...sh('exit 0')]],
  ['window', 1, OWN_STATUS, ['window', ...sh('exit 1')]],
  ['window', 2, OWN_STATUS, ['window', ...sh('exit 2')]],
  ['window', 255, OWN_STATUS, ['window', ...sh('exit 255')]],
  ['window', 125, 'no command', ['window']],
  ['window', 125, 'an unknown profile', ['window', ...NOPE, '--', 'true']],
  ['window', 125, 'no such fleet', ['window', '--root', NOWHERE, '--', 'true']],
  ['window', 125, 'a folder that is no fleet', ['window', '--', 'true'], noFleet],
  ['window', 125, 'a folder in the sentinel’s place', ['window', '--', 'true'], folderInItsPlace],
  ['window', 125, 'a policy that is violated', ['window', '--', 'true'], reasonRequired],
  ['window', 126, 'a folder as command', ['window', '--', '/']],
  ['window', 127, 'no such command', ['window', '--', 'no-such-command']],
  ['window', 143, 'a command that TERM ends', ['window', ...sh('kill -TERM $$')]],
  ['window', 137, 'a command that KILL ends', ['window', ...sh('kill -KILL $$')]],
  ['window', 143, 'TERM before its command was started', ['window', '--', 'true'], interrupted],

  ['gate', 0, 'a free fleet', ['gate']],
  ['gate', 75, 'a held fleet', ['gate'], held],
  ['gate', 75, 'a torn sentinel', ['gate'], torn],
  ['gate', 9, 'a number of one’s own', ['gate', '--refused-code', '9'], held],
  ['gate', 75, 'held until the time is up', ['gate', '--wait', '1s'], held],
  ['gate', 2, 'an unknown profile', ['gate', ...NOPE]],
  ['gate', 2, 'no such fleet', ['gate', '--root', NOWHERE]],
  ['gate', 75, 'a folder that is no fleet', ['gate'], noFleet],
  ['gate', 3, 'an answer that cannot be written', ['gate', '--json'], diskFull],
  ['gate', 75, 'labels of lanes that cannot be listed', ['gate', '-l', 'tier=x'], noProfiles],
  ['gate', 2, 'labels that no lane has', ['gate', '-l', 'tier=x']],

  ['gate --', 0, OWN_STATUS, ['gate', ...sh('exit 0')]],
  ['gate --', 7, OWN_STATUS, ['gate', ...sh('exit 7')]],
  ['gate --', 255, OWN_STATUS, ['gate', ...sh('exit 255')]],
  ['gate --', 75, 'a held fleet', ['gate', ...sh('exit 0')], held],
  ['gate --', 75, 'labels of lanes that cannot be listed', LABELLED_TRUE, noProfiles],
  ['gate --', 125, 'an unknown profile', ['gate', ...NOPE, '--', 'true']],
  ['gate --', 125, 'an unknown option', ['gate', '--frob', '--', 'true']],
  ['gate --', 125, 'no such fleet', ['gate', '--root', NOWHERE, '--', 'true']],
  ['gate --', 75, 'a folder that is no fleet', ['gate', '--', 'true'], noFleet],
  ['gate --', 126, 'a folder as command', ['gate', '--', '/']],
  ['gate --', 127, 'no such command', ['gate', '--', 'no-such-command']],
  ['gate --', 143, 'a command that TERM ends', ['gate', ...sh('kill -TERM $$')]],
];

/** The shortest line of each verb that would do something. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  extend: ['extend', '--ttl', '1h'],
  assert: ['assert', 'running'],
  completion: ['completion', 'bash'],
  window: ['window', '--', 'true'],
  'gate --': ['gate', '--', 'true'],
};
const UNFORESEEN: readonly Row[] = [...Object.keys(VERBS), 'gate --'].map((verb) => [
  verb,
  entryOfName(verb).failure,
  'a failure that nobody foresaw',
  LINES[verb] ?? [verb],
  failing,
]);
export const ALL: readonly Row[] = [...ROWS, ...UNFORESEEN];

export function entryOfName(name: string) {
  const entry = VERBS[name.split(' ')[0] ?? ''];
  if (entry === undefined) throw new Error(`\`${name}\` is no verb`);
  return entry;
}
