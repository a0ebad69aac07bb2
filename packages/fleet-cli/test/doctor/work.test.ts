/**
 * What `fleet doctor` says of work in hand: what can be told of it, and what somebody must look at.
 * When work runs, and when that cannot be told, is the ledger's own tests.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { openRegister } from '@fleet-estop/ledger';
import { expect, it, onTestFinished } from 'vitest';
import { type Fleet, makeFleet, UNSAFE } from '../support/fleet.ts';
import { examine, snapshotOf } from './fleets.ts';

const isSuperuser = process.getuid?.() === 0;
const LEDGER = new URL('../../../ledger/dist/index.js', import.meta.url).href;
const OWNER = '4194303-0123456789abcdef';

const claimsIn = (home: string): string => join(home, '.fleet', 'in-flight', 'claims');
const claimOf = (home: string, id: string): string =>
  join(
    claimsIn(home),
    createHash('sha256')
      .update(JSON.stringify(['turn', id]))
      .digest('hex')
      .slice(0, 32),
  );

/** A gateway of another machine, which has been silent for an hour. */
function leave(home: string, ids: readonly string[], number = 1): string[] {
  const owner = join(home, '.fleet', 'in-flight', 'owners', OWNER);
  mkdirSync(owner, { recursive: true });
  const place = { host: 'far', machine: 'm', boot: 'b', pids: 'p', clock: 'c' };
  const record = { pid: 4_194_303, birth: '5', place, instance: 'gw-7', leaseMs: 15_000 };
  writeFileSync(join(owner, 'owner.json'), JSON.stringify(record));
  const silent = Date.now() / 1000 - 3600;
  utimesSync(join(owner, 'owner.json'), silent, silent);
  return ids.map((id, at) => {
    const entry = join(claimOf(home, id), `${OWNER}.${number + at}.4194303.5`);
    mkdirSync(claimOf(home, id), { recursive: true });
    const since = new Date(Date.now() - 3_600_000 - 1000 * (ids.length - at)).toISOString();
    writeFileSync(entry, JSON.stringify({ door: 'turn', id, principal: null, since }));
    return entry;
  });
}

/** A gateway of this machine that was killed with work in hand. */
function leaveKilled(home: string, ids: readonly string[]): void {
  const program = `
    import { openRegister } from ${JSON.stringify(LEDGER)};
    const [home, ...ids] = process.argv.slice(1);
    const register = openRegister(home, { instance: 'gw-1' });
    for (const id of ids) register.begin({ door: 'turn', id });
    process.kill(process.pid, 'SIGKILL');`;
  const args = ['--input-type=module', '-e', program, home, ...ids];
  expect(spawnSync(process.execPath, args).signal).toBe('SIGKILL');
}

const workIn = (fleet: Fleet) => examine(fleet).found('work');

it('work of a gateway that lives is in order, in the root’s own home too', () => {
  const fleet = makeFleet('lane-a');
  for (const home of [fleet.root, fleet.folder('lane-a')]) {
    const register = openRegister(home, { instance: 'g' });
    onTestFinished(() => register.close());
    register.begin({ door: 'turn', id: 's1' });
  }
  const { document, found } = examine(fleet);
  expect(found('work')).toEqual([]);
  const [said] = document.findings.filter(({ check }: { check: string }) => check === 'work');
  expect(said.what).toMatch(/^2 pieces of work in hand in 2 homes/);
});

it('work of a killed gateway is a note: the next gateway clears it away', () => {
  const fleet = makeFleet('lane-a');
  leaveKilled(fleet.folder('lane-a'), ['s1', 's2', 's3']);
  const { code, found } = examine(fleet);
  expect(code).toBe(0);
  expect(found('work')).toMatchObject([
    {
      level: 'note',
      where: claimsIn(fleet.folder('lane-a')),
      what: expect.stringMatching(/ and 2 more; the next gateway/),
    },
  ]);
});

it('--fix clears away what was cut off when its process ended, and nothing else', () => {
  const fleet = makeFleet('lane-a');
  const home = fleet.folder('lane-a');
  leaveKilled(home, ['s1']);
  const [far = ''] = leave(home, ['s2']);
  const { document, found } = examine(fleet, ['--fix']);
  expect(document.repaired).toEqual([
    {
      what: 'removed the record of work that was cut off when its process ended: turn `s1`',
      where: expect.stringContaining(claimOf(home, 's1')),
    },
  ]);
  expect(found('work')).toMatchObject([{ level: 'warning', where: far }]);
});

it('work that nobody can tell of is a warning with door, id, owner and time, and what removes it', () => {
  const fleet = makeFleet('lane-a');
  const [entry = ''] = leave(fleet.folder('lane-a'), ['s1']);
  const { code, found } = examine(fleet);
  expect(code).toBe(0);
  const [finding, ...others] = found('work');
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    level: 'warning',
    where: entry,
    todo: `once it is certain that it does not run: rm ${entry}`,
  });
  expect(finding.what).toMatch(
    /turn `s1`, since .+ \(1h ago\), of gateway gw-7 on far, process 4194303 there$/,
  );
  execFileSync('sh', ['-c', finding.todo.slice(finding.todo.indexOf('rm '))]);
  expect(workIn(fleet)).toEqual([]);
});

it('what removes a claim finds nothing where that work was begun anew meanwhile', () => {
  const fleet = makeFleet('lane-a');
  const home = fleet.folder('lane-a');
  leave(home, ['s1']);
  const [{ where }] = workIn(fleet);
  const successor = openRegister(home, { instance: 'g', alone: true });
  onTestFinished(() => successor.close());
  expect(successor.begin({ door: 'turn', id: 's1' })).not.toBeNull();
  expect(() => rmSync(where)).toThrow('ENOENT');
});

it('each of several claims gets its own path, also where their texts are lost', () => {
  const fleet = makeFleet('lane-a');
  const entries = leave(fleet.folder('lane-a'), ['s1', 's2', 's3', 's4']);
  for (const torn of [entries[1], entries[3]]) writeFileSync(torn ?? '', 'torn {');
  const findings = workIn(fleet);
  expect(findings.map(({ where }) => where).sort()).toEqual([...entries].sort());
  for (const { what, where } of findings) {
    const id = /turn `(s\d)`/.exec(what)?.[1];
    expect(where).toBe(id === undefined ? where : entries[Number(id.slice(1)) - 1]);
  }
  expect(findings.filter(({ what }) => what.includes('claim cannot be read'))).toHaveLength(2);
});

it('of two ids that were cut no path is told, since it may be the other’s', () => {
  const fleet = makeFleet('lane-a');
  const home = fleet.folder('lane-a');
  const entries = leave(home, [`${'x'.repeat(300)}1`, `${'x'.repeat(300)}2`]);
  expect(workIn(fleet)).toMatchObject([{ where: claimsIn(home) }, { where: claimsIn(home) }]);
  rmSync(entries[0] ?? '');
  expect(workIn(fleet)).toMatchObject([{ where: entries[1] }]);
});

it('of a great many the oldest are told, and the others counted', () => {
  const fleet = makeFleet('lane-a');
  leave(
    fleet.folder('lane-a'),
    Array.from({ length: 40 }, (_, at) => `s${at}`),
  );
  const findings = workIn(fleet);
  expect(findings).toHaveLength(9);
  expect(findings[0].what).toContain('turn `s0`');
  expect(findings[8].what).toContain('32 more');
});

it('an id is data: nothing in it reaches a terminal, or a shell', () => {
  const fleet = makeFleet('lane-a');
  leave(fleet.folder('lane-a'), ['a\u001b[2J\n`$(reboot)`\u202e; rm -r /']);
  const { stdout } = fleet.run(['doctor']);
  expect(stdout).not.toMatch(UNSAFE);
  expect(stdout).toContain('\\u{1b}[2J\\u{a}');
  expect(workIn(fleet)[0].todo).not.toContain('reboot');
});

it('two profiles that share a home by a link are told once', () => {
  const fleet = makeFleet('lane-a');
  symlinkSync(fleet.folder('lane-a'), fleet.folder('lane-b'));
  leave(fleet.folder('lane-a'), ['s1']);
  expect(workIn(fleet)).toHaveLength(1);
});

it('what is no claim is a problem, since it counts as work: exit 1', () => {
  const fleet = makeFleet('lane-a');
  const stray = join(claimsIn(fleet.folder('lane-a')), 'notes.txt');
  mkdirSync(claimsIn(fleet.folder('lane-a')), { recursive: true });
  writeFileSync(stray, '');
  const { code, found } = examine(fleet);
  expect(code).toBe(1);
  expect(found('work')).toMatchObject([{ level: 'problem', where: stray, unexamined: false }]);
});

it('and so are a great many of it, of which the first are told', () => {
  const fleet = makeFleet('lane-a');
  mkdirSync(claimsIn(fleet.folder('lane-a')), { recursive: true });
  for (let at = 0; at < 20; at++) {
    writeFileSync(join(claimsIn(fleet.folder('lane-a')), `notes-${at}`), '');
  }
  const { code, found } = examine(fleet);
  expect(code).toBe(1);
  expect(found('work')).toHaveLength(9);
  expect(found('work')[8].what).toContain('and 12 more');
});

it('a claim that is a FIFO keeps nobody waiting', () => {
  const fleet = makeFleet('lane-a');
  const [entry = ''] = leave(fleet.folder('lane-a'), ['s1']);
  rmSync(entry);
  execFileSync('mkfifo', [entry]);
  expect(workIn(fleet)).toMatchObject([{ level: 'warning', where: entry }]);
});

it('a register that cannot be listed is not examined: exit 3', () => {
  const fleet = makeFleet('lane-a');
  const claims = claimsIn(fleet.folder('lane-a'));
  mkdirSync(join(claims, '..'), { recursive: true });
  writeFileSync(claims, '');
  const { code, found } = examine(fleet);
  expect(code).toBe(3);
  expect(found('work')).toMatchObject([
    { level: 'problem', where: claims, what: expect.stringContaining('ENOTDIR'), unexamined: true },
  ]);
});

it('nor is one that is another user’s', ({ skip }) => {
  skip(!isSuperuser, 'only root may start a process of another user');
  const fleet = makeFleet('lane-a');
  leave(fleet.folder('lane-a'), ['s1']);
  chmodSync(join(fleet.folder('lane-a'), '.fleet'), 0o700);
  const { code, found } = examine(fleet, [], { ordinary: true });
  expect(code).toBe(3);
  expect(found('work')).toMatchObject([{ level: 'problem', unexamined: true }]);
});

it('looking leaves the register as it is, and so does repairing where nothing was cut off', () => {
  const fleet = makeFleet('lane-a', 'lane-b');
  fleet.run(['pause']);
  leave(fleet.folder('lane-a'), ['s1', 's2']);
  const before = snapshotOf(fleet.root);
  fleet.run(['doctor']);
  expect(snapshotOf(fleet.root)).toEqual(before);
  const ofOthers = snapshotOf(fleet.folder('lane-a'));
  fleet.run(['doctor', '--fix']);
  expect(snapshotOf(fleet.folder('lane-a'))).toEqual(ofOthers);
});

it('this host’s own name is not taken for proof', () => {
  const fleet = makeFleet('lane-a');
  const home = fleet.folder('lane-a');
  leave(home, ['s1']);
  const file = join(home, '.fleet', 'in-flight', 'owners', OWNER, 'owner.json');
  const place = { host: hostname(), machine: 'another', boot: 'b', pids: 'p', clock: 'c' };
  writeFileSync(file, JSON.stringify({ pid: 4_194_303, birth: '5', place, leaseMs: 1 }));
  utimesSync(file, 1, 1);
  expect(workIn(fleet)).toMatchObject([
    { what: expect.stringContaining(`of gateway ${OWNER} on ${hostname()}`) },
  ]);
});

it('work of a dead process is cleared away by --fix, and of nobody else', () => {
  const fleet = makeFleet('lane-a');
  const home = fleet.folder('lane-a');
  leaveKilled(home, ['s1', 's2']);
  const [other = ''] = leave(home, ['far']);
  expect(workIn(fleet).find(({ level }: { level: string }) => level === 'note')).toMatchObject({
    what: expect.stringContaining('cut off when its process ended'),
    todo: 'fleet doctor --fix',
  });
  const { document } = examine(fleet, ['--fix']);
  expect(document.repaired).toHaveLength(2);
  expect(existsSync(claimOf(home, 's1'))).toBe(false);
  expect(existsSync(other)).toBe(true);
  expect(workIn(fleet).map(({ level }: { level: string }) => level)).toEqual(['warning']);
});
