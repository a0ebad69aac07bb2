/**
 * How much pause says: what matters in three lines, the rest when asked, a summary of many.
 */
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bodyOf, type Document, exists, makeFleet } from '../support/fleet.ts';

const isSuperuser = process.getuid?.() === 0;
const lanes = (count: number): string[] =>
  Array.from({ length: count }, (_, at) => `lane-${String(at).padStart(2, '0')}`);

describe('pause says what matters in three lines', () => {
  it('what and where, who and until when and why, and how to lift it', () => {
    const { root, run } = makeFleet('lane-a', 'lane-b');
    const { stdout } = run(['pause', '--reason', 'bad deploy']);
    const [id] = /op-[0-9a-f]{12}/.exec(stdout) ?? [];
    expect(stdout.split('\n')).toEqual([
      `PAUSED the whole fleet (2 profiles) in ${root} (--root), ${id}`,
      '  held by    operator until lifted: bad deploy',
      `  lift with  fleet resume --root ${root}`,
      '',
    ]);
  });

  it('a deadline by both clocks and what is left of it', () => {
    const { run } = makeFleet('lane-a');
    const [, by] = run(['pause', '--ttl', '2h']).stdout.split('\n');
    expect(by).toMatch(
      /^ {2}held by +operator until \S+ \S+ \+00:00 = \S+ \S+ UTC \(in (2h|1h 59m)\): no reason given$/,
    );
  });

  it('the rest with -v', () => {
    const { run } = makeFleet('lane-a');
    const { stdout } = run(['pause', '-p', 'lane-a', '-v']);
    for (const name of ['root', 'sentinel', 'hold', 'may pass', 'covers', 'operation']) {
      expect(stdout).toMatch(new RegExp(`^ {2}${name} `, 'm'));
    }
  });

  it('with -q only the id of each hold, the standing one’s as well', () => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    const { stdout } = run(['pause', '--all-profiles', '-q']);
    const ids = ['lane-a', 'lane-b'].map((lane) => bodyOf(sentinel(lane)).holds[0].id);
    expect(stdout).toBe(`${ids.join('\n')}\n`);
    expect(run(['pause', '--quiet']).stdout).toBe(`${bodyOf(sentinel()).holds[0].id}\n`);
    expect(run(['-q', 'pause', '-p', 'lane-a', '--if-generation', 'x']).stdout).toBe('');
  });

  it('of 20 profiles each, of more a summary with one command that lifts them all', () => {
    const few = makeFleet(...lanes(20));
    expect(few.run(['pause', '--all-profiles']).stdout.match(/^PAUSED lane-/gm)).toHaveLength(20);
    const many = makeFleet(...lanes(21));
    many.run(['pause', '-p', 'lane-00', '--reason', 'audit']);
    const { stdout } = many.run(['pause', '--all-profiles', '--ttl', '1h', '--reason', 'x']);
    const [id] = /op-[0-9a-f]{12}/.exec(stdout) ?? [];
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThan(8);
    expect(lines[0]).toBe(`PAUSED 20 profiles in ${many.root} (--root), ${id}`);
    expect(lines[1]).toBe(`PAUSED again 1 profile in ${many.root} (--root), ${id}: lane-00`);
    expect(stdout).toMatch(/held by +operator until \S+ \S+ \+00:00 .*: x\n/);
    expect(stdout).toContain(`undo with  fleet resume --root ${many.root} --undo ${id}`);
    expect(many.run(['pause', '--all-profiles', '-v']).stdout.match(/sentinel/g)).toHaveLength(21);
  });

  it('of many that were held already, only that', () => {
    const { run } = makeFleet(...lanes(21));
    run(['pause', '--all-profiles']);
    const { stdout } = run(['pause', '--all-profiles']);
    expect(stdout).toMatch(/^ALREADY HELD 21 profiles in /);
    expect(stdout).not.toContain('--undo');
  });
});

describe('a blank reason is none', () => {
  it.each([' ', '\t\n', '\u200b \u00a0'])('%j', (reason) => {
    const { run, json, sentinel } = makeFleet('lane-a');
    expect(run(['pause', '--reason', reason]).code).toBe(0);
    expect(bodyOf(sentinel()).holds[0].reason).toBeUndefined();
    run(['pause', '--reason', 'audit']);
    const [result] = json(['pause', '--reason', reason]).document.results;
    expect(result.hold.reason).toBe('audit');
    expect(run(['window', '--reason', reason, '--', 'true']).stderr).toContain(
      'window around true',
    );
  });
});

describe('a hint does not lead to another refusal', () => {
  it.each([
    ['--ttl', '-5m', 'write it as 45m'],
    ['--until', '-1', 'date, time and offset'],
    ['--patience', '-5s', 'write it as'],
    ['-p', '-lane', 'a name begins'],
    ['-l', '-tier', 'key=value'],
    ['--allow-profile', '-lane', 'a name begins'],
    ['--color', '-x', '--help lists'],
  ])('%s %s', (option, value, hint) => {
    const { run } = makeFleet('lane-a');
    const { code, stderr } = run(['pause', option, value]);
    expect(code).toBe(2);
    expect(stderr).not.toContain(`=${value}`);
    expect(stderr).toContain(hint);
  });

  it.each(['--reason', '--as', '--allow-user'])('%s can be given so, and then is', (option) => {
    const { run } = makeFleet('lane-a');
    const [, command] = /write `([^`]+)`/.exec(run(['pause', option, '-x']).stderr) ?? [];
    expect(run(['pause', command ?? '']).code).toBe(0);
  });
});

describe.skipIf(!isSuperuser)('a root that this user may not enter', () => {
  it('is not said to be held by others: whether it is cannot be told', () => {
    const { root, run, json } = makeFleet('lane-a');
    chmodSync(root, 0o700);
    const { code, stderr } = run(['pause'], { ordinary: true });
    expect(code).not.toBe(0);
    expect(stderr).not.toContain('others hold it, and');
    expect(stderr).not.toContain('as long as their holds stand');
    expect(stderr).toContain('whether others hold it is unknown');
    const answer = run(['pause', '--json'], { ordinary: true });
    if (answer.stdout !== '') {
      expect(JSON.parse(answer.stdout).results[0].engaged).toBeNull();
    }
    const resumed = run(['resume'], { ordinary: true });
    expect(resumed.code).not.toBe(0);
    expect(resumed.stderr).not.toMatch(/\d+ holds? in/);
    expect(json(['status']).document.state).toBe('free');
  });
});

describe('extend never shortens unless it is told to', () => {
  it.each([
    ['a later end', ['--ttl', '3h']],
    ['no end', ['--no-ttl']],
  ])('%s is kept, and that is said: 1', (_what, words) => {
    const { run, json, sentinel } = makeFleet('lane-a');
    run(['pause', ...words]);
    const before = bodyOf(sentinel());
    const { code, stderr } = run(['extend', '--ttl', '1h']);
    expect(code).toBe(1);
    expect(stderr).toContain('--shorten');
    expect(bodyOf(sentinel())).toEqual(before);
    const [result] = json(['extend', '--ttl', '1h']).document.results;
    expect(result).toMatchObject({ extended: false, why: 'ends-later' });
    const done = json(['extend', '--ttl', '1h', '--shorten']);
    expect(done.code).toBe(0);
    expect(done.document.results[0]).toMatchObject({ extended: true, shortened: true });
  });

  it('of several profiles it moves those that end earlier, and names the others', () => {
    const { run, json } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '--ttl', '10m']);
    run(['pause', '-p', 'lane-b']);
    const { code, document } = json(['extend', '--all-profiles', '--ttl', '1h']);
    expect(code).toBe(1);
    expect(document.results.map(({ extended }: Document) => extended)).toEqual([true, false]);
  });
});

describe('resume -l after a label has moved', () => {
  it('says which profiles still carry a hold of this holder that the selection no longer reaches', async () => {
    const { labelledFleet, writeProfile } = await import('../support/snapshot.ts');
    const fleet = labelledFleet({
      'lane-a': { tier: 'batch' },
      'lane-b': { tier: 'batch' },
      'lane-c': null,
    });
    fleet.run(['pause', '-l', 'tier=batch', '--reason', 'deploy']);
    fleet.run(['pause', '-p', 'lane-c', '--as', 'deploy']);
    writeProfile(fleet, 'lane-b', { tier: 'interactive' });
    const { code, stderr } = fleet.run(['resume', '-l', 'tier=batch']);
    expect(code).toBe(0);
    expect(stderr).toContain('lane-b');
    expect(stderr).toContain('operator: deploy');
    expect(stderr).not.toContain('lane-c');
    expect(exists(fleet.sentinel('lane-b'))).toBe(true);
    fleet.run(['pause', '-l', 'tier=batch']);
    const { document } = fleet.json(['resume', '-l', 'tier=batch']);
    expect(document.beyond_selection).toMatchObject([
      { profile: 'lane-b', holds: [{ holder: 'operator', reason: 'deploy' }] },
    ]);
  });
});
