import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRegister } from '@fleet-estop/ledger';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LAUNCHER, makeFleet, PASSED, place, runInShell, spoil } from '../support/fleet.ts';

describe('explain', () => {
  it('says what is in hand, and since when the oldest of it, also where no watcher runs', () => {
    const { root, run, json, folder } = makeFleet('lane-a', 'lane-b');
    const register = openRegister(folder('lane-a'), {
      instance: 'gw-1',
      now: () => Date.now() - 7_200_000,
    });
    onTestFinished(() => register.close());
    for (const id of ['hangs', 'later']) register.begin({ door: 'turn', id });
    const text = run(['explain', '-p', 'lane-a']).stdout;
    expect(text).toMatch(
      /^2 in hand, the oldest: turn `hangs`, since .* \(2h ago\), of gateway gw-1 on /m,
    );
    const { document } = json(['explain', '-p', 'lane-a', '-p', 'lane-b']);
    expect(document.lanes.map(({ work }: { work: unknown }) => work)).toMatchObject([
      {
        count: 2,
        unproven: 0,
        complete: true,
        oldest: { door: 'turn', id: 'hangs', instance: 'gw-1' },
      },
      { count: 0, unproven: 0, complete: true, oldest: null },
    ]);
    writeFileSync(join(root, 'profiles/lane-b/.fleet'), '');
    expect(run(['explain', '-p', 'lane-b']).stdout).toContain(
      'part of the register of work cannot',
    );
  });

  it('says of how much work in hand nobody can tell whether it runs, and that a clock is wrong', () => {
    const { run, json, folder } = makeFleet('lane-a');
    const register = openRegister(folder('lane-a'), { now: () => Date.now() + 7_200_000 });
    onTestFinished(() => register.close());
    register.begin({ door: 'turn', id: 'ahead' });
    const text = run(['explain', '-p', 'lane-a']).stdout;
    expect(text).toMatch(/^1 in hand: turn `ahead`, since .* in the future: a clock is wrong\)/m);
    const claim = join(folder('lane-a'), '.fleet/in-flight/claims', '0'.repeat(32));
    mkdirSync(claim);
    writeFileSync(join(claim, 'of-another-version'), '');
    expect(run(['explain', '-p', 'lane-a']).stdout).toMatch(/^2 in hand \(1 not known to run: /m);
    const { document } = json(['explain', '-p', 'lane-a']);
    expect(document.lanes[0].work).toMatchObject({
      count: 2,
      unproven: 1,
      oldest: { fate: 'unproven' },
    });
  });

  it('shows every hold of the chain, nearest first, with its file, verdict and lifting command', () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    run(['pause', '--reason', 'all']);
    run(['pause', '-p', 'lane-a', '--as', 'deploy', '--reason', 'one', '--allow-user', 'u1']);
    const { code, stdout } = run(['explain', '-p', 'lane-a', '--user', 'u1']);
    expect(code).toBe(0);
    expect(stdout).toContain('lane-a: paused by 2 holds; new work of `u1` is REFUSED');
    expect(stdout.indexOf('1. lane-a by deploy: one')).toBeGreaterThan(0);
    expect(stdout.indexOf('2. (root) by operator: all')).toBeGreaterThan(
      stdout.indexOf('1. lane-a by deploy: one'),
    );
    expect(stdout).toContain(`file       ${sentinel('lane-a')}`);
    expect(stdout).toContain('admits     its allowlist names `u1`');
    expect(stdout).toContain('denies     it has no allowlist, so nobody passes');
    expect(stdout).toContain('placed by  tester on ');
    expect(stdout).toContain(`lift with  fleet resume --root ${root} -p lane-a --as deploy`);
    expect(stdout).toContain(`lift with  fleet resume --root ${root}\n`);
  });

  it('the commands it gives, run one after the other, leave nothing held', () => {
    const { json, run } = makeFleet('lane-a');
    run(['pause']);
    for (const holder of ['deploy', "it's $(me)", '-dash']) {
      run(['pause', '-p', 'lane-a', `--as=${holder}`]);
    }
    const { document } = json(['explain', '-p', 'lane-a']);
    const commands = document.lanes[0].rulings.map((r: { lift_command: string }) => r.lift_command);
    expect(commands).toHaveLength(4);
    for (const command of commands) runCommand(command);
    expect(run(['assert', 'running']).code).toBe(0);
  });

  it.each([
    ['u1', 'lane-a', true, 'listed'],
    ['u2', 'lane-a', false, 'user-not-listed'],
    ['u1', 'lane-b', false, 'profile-not-listed'],
  ])('%s on %s: admitted is %s, because of %s', (user, lane, admitted, because) => {
    const { json, run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '--allow-user', 'u1', '--allow-profile', 'lane-a']);
    const { document } = json(['explain', '-p', lane, '--user', user]);
    expect(document).toMatchObject({ schema: 'fleet/explain/v1', user });
    expect(document.lanes[0]).toMatchObject({ profile: lane, state: 'paused', admitted });
    expect(document.lanes[0].rulings).toEqual([
      expect.objectContaining({ verdict: admitted ? 'admits' : 'denies', because }),
    ]);
  });

  it('without a user nobody is admitted by name', () => {
    const { json, run } = makeFleet('lane-a');
    run(['pause', '--allow-user', 'u1']);
    const { document } = json(['explain', '-p', 'lane-a']);
    expect(document.lanes[0]).toMatchObject({ admitted: false });
    expect(document.lanes[0].rulings[0].because).toBe('no-principal');
  });

  it('without -p it explains the root, and names the profiles that have holds of their own', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-b']);
    const { code, stdout } = run(['explain']);
    expect(code).toBe(0);
    expect(stdout).toContain('(root): running: nothing holds it');
    expect(stdout).toContain('with holds of their own, 1 profile (see -p): lane-b');
  });

  it('what cannot be read denies, is named with its file, and makes it exit 3', () => {
    const { run, sentinel } = makeFleet('lane-a');
    spoil(sentinel());
    const { code, stdout, stderr } = run(['explain', '-p', 'lane-a', '--user', 'u1']);
    expect(code).toBe(3);
    expect(stdout).toContain(`file       ${sentinel()}`);
    expect(stdout).toContain('denies     it cannot be read, so it holds: ENOTDIR');
    expect(stderr).toContain('(root) cannot be read');
  });

  it('what has expired holds nothing, and is said to lie there', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { expires_at: PASSED });
    const { code, stdout } = run(['explain', '-p', 'lane-a']);
    expect(code).toBe(0);
    expect(stdout).toContain('lane-a: running');
    expect(stdout).toContain('it has only an expired hold');
  });

  it('a holder that no --as takes is lifted by the id of its hold', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { holds: [{ id: 'weird', holder: 'a\nb' }] });
    const { document } = json(['explain', '-p', 'lane-a']);
    const [{ lift_command: command }] = document.lanes[0].rulings;
    expect(command).toContain('--hold weird');
    runCommand(command);
    expect(run(['assert', 'running', '-p', 'lane-a']).code).toBe(0);
  });
});

/** Runs a command that was printed, as a shell reads it. */
function runCommand(command: string): void {
  runInShell(`fleet() { '${process.execPath}' '${LAUNCHER}' "$@"; }; ${command}`, []);
}
