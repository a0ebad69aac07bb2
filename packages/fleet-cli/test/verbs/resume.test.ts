import { chmodSync, mkdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, linesOf, makeFleet, PASSED, place, spoil } from '../support/fleet.ts';

const foreign = (holder: string, more: object = {}) => ({ id: `id-${holder}`, holder, ...more });

describe('what resume lifts', () => {
  it('one’s own hold, and then says that nothing holds it', () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    run(['pause', '--reason', 'x']);
    const { code, stdout, stderr } = run(['resume']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'RESUMED the root: nothing holds it',
      `  root       ${root} (--root)`,
      expect.stringMatching(/^ {2}operation {2}op-[0-9a-f]{12}$/),
      '  lifted     operator: x',
      expect.stringMatching(/^ {2}since {6}\d{4}-.* ago\)$/),
      '  was until  none: stands until lifted',
      expect.stringMatching(/^ {2}placed by {2}tester on .* via fleet pause$/),
      '',
    ]);
    expect(exists(sentinel())).toBe(false);
  });

  it('the operator’s resume lifts what nobody signed as well', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), '');
    expect(run(['resume']).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });

  it('another holder’s resume leaves what nobody signed', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), '');
    expect(run(['resume', '--as', 'deploy']).code).toBe(1);
    expect(exists(sentinel())).toBe(true);
  });

  it('another holder’s hold stays, is named with its file’s scope, reason and lifting command: exit 7', () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    run(['pause', '--as', 'deploy', '--reason', 'upgrade']);
    run(['pause', '--reason', 'mine']);
    const { code, stdout, stderr } = run(['resume']);
    expect(code).toBe(7);
    expect(stdout).toContain('STILL PAUSED the root');
    expect(stdout).toContain('lifted     operator: mine');
    expect(stdout).toContain('held in    (root) by deploy: upgrade');
    expect(stdout).toContain(`lift with  fleet resume --root ${root} --as deploy`);
    expect(stderr).toMatch(/^NOT resumed: the root is still paused/);
    expect(bodyOf(sentinel()).holds.map((h: { holder: string }) => h.holder)).toEqual(['deploy']);
    expect(run(['resume', '--as', 'deploy']).code).toBe(0);
  });

  it('--everyone lifts every hold of that scope', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    for (const holder of ['a', 'b', 'c']) run(['pause', '--as', holder]);
    const { code, document } = json(['resume', '--everyone']);
    expect(code).toBe(0);
    expect(document.results[0].lifted.map((h: { holder: string }) => h.holder)).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(exists(sentinel())).toBe(false);
  });

  it('--hold lifts one hold by its id', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    const { id } = json(['pause', '--as', 'a']).document.results[0].hold;
    run(['pause', '--as', 'b']);
    expect(run(['resume', '--hold', id]).code).toBe(7);
    expect(bodyOf(sentinel()).holds.map((h: { holder: string }) => h.holder)).toEqual(['b']);
  });

  it('a hold that was armed again has a new id, so a resume by the old one lifts nothing', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    const { id } = json(['pause']).document.results[0].hold;
    run(['pause', '--reason', 'newer']);
    expect(run(['resume', '--hold', id]).code).toBe(1);
    expect(exists(sentinel())).toBe(true);
  });

  it('--if-generation lifts only what is still that generation: else exit 6', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    const { generation } = json(['pause']).document.results[0];
    run(['pause', '--reason', 'newer']);
    const { code, stderr } = run(['resume', '--if-generation', generation]);
    expect(code).toBe(6);
    expect(stderr).toContain('NOT resumed');
    expect(bodyOf(sentinel()).holds).toHaveLength(1);
    const now = bodyOf(sentinel()).generation;
    expect(run(['resume', '--if-generation', now]).code).toBe(0);
  });

  it('where nothing was held it says so, and exits 0', () => {
    const { run } = makeFleet('lane-a');
    const { code, stdout } = run(['resume', '-p', 'lane-a']);
    expect(code).toBe(0);
    expect(stdout).toContain('nothing was held: lane-a is running');
  });

  it('an expired hold is taken off the disk, since the oldest readers go by the file alone', () => {
    const { json, sentinel } = makeFleet('lane-a');
    place(sentinel(), { expires_at: PASSED });
    const { code, document } = json(['resume']);
    expect(code).toBe(0);
    expect(document.results[0]).toMatchObject({ state: 'free', expired_removed: true, lifted: [] });
    expect(exists(sentinel())).toBe(false);
  });

  it.each([
    ['a torn file', 'torn {'],
    ['a file that is too large', 'x'.repeat(65_537)],
  ])('%s is lifted as what nobody signed', (_what, content) => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), content);
    expect(run(['resume']).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });

  it('a folder in the sentinel’s place is lifted, too', () => {
    const { run, sentinel } = makeFleet('lane-a');
    mkdirSync(sentinel());
    expect(run(['resume']).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });
});

describe('resume in a chain', () => {
  it('a resumed root says which profiles have holds of their own, and how to lift them', () => {
    const { root, run } = makeFleet('lane-a', 'lane-b');
    run(['pause']);
    run(['pause', '-p', 'lane-b', '--as', 'deploy']);
    const { code, stdout } = run(['resume']);
    expect(code).toBe(0);
    expect(stdout).toContain('RESUMED the root');
    expect(stdout).toContain('lane-b has holds of its own and stays paused');
    expect(stdout).toContain(`fleet resume --root ${root} -p lane-b --as deploy`);
    expect(stdout).not.toContain('lane-a has');
  });

  it('a cluster’s hold keeps the root paused, and no command of this host is offered for it', () => {
    const { root, json, run } = makeFleet('lane-a');
    mkdirSync(`${root}/cluster`);
    place(`${root}/cluster/ESTOP`, { holds: [foreign('sre')] });
    run(['pause']);
    const { code, document } = json(['resume']);
    expect(code).toBe(7);
    expect(document.results[0]).toMatchObject({ state: 'paused', held_by: ['cluster'] });
    expect(document.results[0].remaining).toEqual([
      expect.objectContaining({
        lift_command: null,
        scope: expect.objectContaining({ kind: 'cluster' }),
      }),
    ]);
    expect(run(['resume']).stdout).toContain('lift it in the cluster');
  });

  it('several profiles are all attempted; one that others hold makes it exit 7', () => {
    const { json, run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '-p', 'lane-b']);
    run(['pause', '-p', 'lane-a', '--as', 'deploy']);
    const { code, document } = json(['resume', '-p', 'lane-a', '-p', 'lane-b']);
    expect(code).toBe(7);
    expect(document.results.map((r: { state: string }) => r.state)).toEqual(['paused', 'free']);
  });

  it('a root that cannot be read keeps a profile paused: exit 3', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '-p', 'lane-a']);
    place(sentinel(), 'torn {');
    spoil(sentinel());
    expect(run(['resume', '-p', 'lane-a']).code).toBe(3);
    expect(exists(sentinel('lane-a'))).toBe(false);
    expect(exists(sentinel())).toBe(true);
  });

  it('an absent profile is skipped with --allow-missing', () => {
    const { run } = makeFleet('lane-a');
    const { code, stdout } = run(['resume', '-p', 'gone', '-p', 'lane-a', '--allow-missing']);
    expect(code).toBe(0);
    expect(stdout).toContain('skipped gone');
  });
});

describe('what could not be lifted', () => {
  it('in a folder that may not be written: "NOT resumed", and it is still paused', () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    run(['pause']);
    chmodSync(root, 0o555);
    const { code, stdout, stderr } = run(['resume'], { ordinary: true });
    chmodSync(root, 0o755);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^NOT resumed: the root: .*\(EACCES\)/);
    expect(stdout).toContain('STILL PAUSED the root');
    expect(exists(sentinel())).toBe(true);
  });

  it("somebody else's file that may not be read: it is left, and the advice lifts it", () => {
    const { root, run, json, sentinel } = makeFleet('lane-a');
    run(['pause']);
    chmodSync(root, 0o777);
    chmodSync(sentinel(), 0);
    const { code, stdout, stderr } = run(['resume'], { ordinary: true });
    expect(code).toBe(3);
    expect(stderr).toMatch(/^NOT resumed: the root: .* this user may not read it \(EACCES\)/);
    expect(stderr).toContain('NOT resumed: the root is still paused');
    expect(stdout).toContain(`lift with  fleet resume --root ${root} --everyone\n`);
    const { document } = json(['resume'], { ordinary: true });
    expect(document.results[0].remaining[0].lift_command).toMatch(/ --everyone$/);
    const again = run(['pause'], { ordinary: true });
    expect(again.code).toBe(1);
    expect(again.stderr).toContain(
      'NOT paused: the whole fleet: this user may not read it (EACCES)',
    );
    expect(again.stderr).toContain('whether others hold it is unknown');
    const everyone = run(['resume', '--everyone'], { ordinary: true });
    expect(everyone.code).toBe(0);
    expect(everyone.stderr).toContain('the holds that were lifted from the root could not be read');
    expect(exists(sentinel())).toBe(false);
  });
});

it('a folder that stood in place of the sentinel is set aside with what is in it, and named', () => {
  const { run, sentinel } = makeFleet('lane-a');
  mkdirSync(`${sentinel()}/kept`, { recursive: true });
  const { code, stderr } = run(['resume']);
  expect(code).toBe(0);
  const [, aside = ''] = /it was moved to (\S+)/.exec(stderr) ?? [];
  expect(exists(`${aside}/kept`)).toBe(true);
});

describe('the journal', () => {
  it('has one line for each arm, re-arm, lift and retirement, and none for what did nothing', () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    run(['pause', '--reason', 'first']);
    run(['pause', '--reason', 'x']);
    run(['resume']);
    run(['resume']);
    place(sentinel('lane-a'), { expires_at: PASSED });
    run(['resume', '-p', 'lane-a']);
    run(['status']);
    const entries = linesOf(`${root}/.fleet/journal.ndjson`);
    expect(entries.map(({ event, profile }) => [event, profile ?? null])).toEqual([
      ['arm', null],
      ['re-arm', null],
      ['lift', null],
      ['retire', 'lane-a'],
    ]);
    expect(entries[0]).toMatchObject({
      scope: root,
      holds: [{ holder: 'operator', reason: 'first', expires_at: null }],
      actor: { user: 'tester', via: 'fleet pause' },
    });
    expect(entries[2]).toMatchObject({ generation: null, actor: { via: 'fleet resume' } });
  });
});
