/**
 * The hold of `fleet window` among other holds: it lifts its own, and touches nobody else's.
 */
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bodyOf, type Document, exists, makeFleet, PASSED, place } from '../support/fleet.ts';
import { holdOfWindow, holdsOf, startFleet, until } from '../support/live.ts';

const NOBODY = 65_534;
const isSuperuser = process.getuid?.() === 0;

/** A window whose command ends when its input does, with this status. */
const waiting = (root: string, words: readonly string[] = [], status = 0) =>
  startFleet([
    'window',
    '--root',
    root,
    ...words,
    '--',
    'sh',
    '-c',
    `echo ready; cat; exit ${status}`,
  ]);

describe('the hold of a window', () => {
  it('names a holder that is unique to the run, a deadline and the command', async () => {
    const { root, sentinel } = makeFleet();
    const before = Date.now();
    const live = waiting(root);
    await live.prints('ready');
    const hold = await holdOfWindow(sentinel());
    expect(hold.holder).toMatch(/^window-[A-Za-z0-9.-]+-\d+-[0-9a-f]{8}$/);
    expect([...hold.holder].length).toBeLessThanOrEqual(64);
    expect(hold.reason).toBe('window around sh');
    expect(hold.actor).toMatchObject({ pid: live.pid, via: 'fleet window', user: 'tester' });
    const lasts = Date.parse(hold.expires_at) - before;
    expect(lasts).toBeGreaterThanOrEqual(3_600_000);
    expect(lasts).toBeLessThan(3_660_000);
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });

  it('takes --reason, --as and --ttl', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    const words = ['-p', 'lane-a', '--reason', 'schema', '--as', 'deploy', '--ttl', '10m'];
    const live = waiting(root, words);
    await live.prints('ready');
    expect(holdsOf(sentinel('lane-a'))).toMatchObject([{ holder: 'deploy', reason: 'schema' }]);
    expect(exists(sentinel())).toBe(false);
    live.endInput();
    await live.ended;
    expect(exists(sentinel('lane-a'))).toBe(false);
  });

  it('is one for each profile, all lifted at the end, whatever the command says', async () => {
    const { root, sentinel } = makeFleet('lane-a', 'lane-b', 'lane-c');
    const live = waiting(root, ['-p', 'lane-a', '-p', 'lane-b'], 3);
    await live.prints('ready');
    expect(holdsOf(sentinel('lane-a'))).toHaveLength(1);
    expect(holdsOf(sentinel('lane-b'))).toHaveLength(1);
    expect(exists(sentinel('lane-c'))).toBe(false);
    live.endInput();
    expect((await live.ended).code).toBe(3);
    expect([exists(sentinel('lane-a')), exists(sentinel('lane-b'))]).toEqual([false, false]);
  });

  it('is recorded in the journal when it is placed and when it is lifted', () => {
    const { root, run } = makeFleet();
    run(['window', '--as', 'deploy', '--', 'true']);
    const lines = bodyLines(`${root}/.fleet/journal.ndjson`);
    expect(lines.map(({ event, holds }) => [event, holds[0].holder])).toEqual([
      ['arm', 'deploy'],
      ['lift', 'deploy'],
    ]);
    expect(Date.parse(lines[0].at)).toBeLessThanOrEqual(Date.parse(lines[1].at));
  });

  it('stands before the command starts', () => {
    const { run, sentinel } = makeFleet();
    const { stdout } = run(['window', '--', 'cat', sentinel()]);
    expect(JSON.parse(stdout).holds[0].holder).toMatch(/^window-/);
  });

  it('two names of one folder are one hold', () => {
    const fleet = makeFleet('lane-a');
    symlinkSync('lane-a', `${fleet.root}/profiles/lane-b`);
    const { code, stderr } = fleet.run(['window', '-p', 'lane-a', '-p', 'lane-b', '--', 'true']);
    expect(code).toBe(0);
    expect(stderr).not.toContain('somebody else');
    expect(exists(fleet.sentinel('lane-a'))).toBe(false);
  });
});

describe('holds of others in the same scope', () => {
  it('an operator’s hold says the same afterwards, and the window says that it still holds', async () => {
    const { root, run, sentinel } = makeFleet();
    run(['pause', '--reason', 'freeze', '--allow-user', 'u1', '--ttl', '2h']);
    const before = bodyOf(sentinel()).holds;
    const live = waiting(root);
    await live.prints('ready');
    expect(holdsOf(sentinel())).toHaveLength(2);
    expect(live.stderr()).toContain(
      'could pass the whole fleet before this window, and cannot pass now: u1',
    );
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(bodyOf(sentinel()).holds).toEqual(before);
    expect(live.stderr()).toContain('still held: (root) by operator: freeze');
  });

  it.each<[string, unknown]>([
    ['an empty file', ''],
    ['an older tool’s body', { reason: 'older', allow: { user_ids: ['u1'] } }],
    ['a torn body', 'torn {'],
    ['a hold with fields that we do not know', { holds: [{ id: 'x', holder: 'sre', later: 1 }] }],
  ])('%s holds afterwards as it did before', (_what, body) => {
    const { json, run, sentinel } = makeFleet();
    place(sentinel(), body);
    const explain = () => {
      const { rulings, scopes } = json(['explain', '--user', 'u1']).document.lanes[0];
      return rulings.map((ruling: Document) => ({
        ...ruling,
        lift_command: null,
        // What cannot be read is written anew as a hold that lets nobody pass, which it was.
        because: ruling.because === 'unreadable' ? 'no-allowlist' : ruling.because,
        hold: { ...ruling.hold, id: null, unreadable: null },
        may_pass: scopes[0].may_pass,
      }));
    };
    const before = explain();
    expect(run(['window', '--', 'true']).code).toBe(0);
    expect(explain()).toEqual(before);
  });

  it('an expired one is nobody’s: nothing is left of it', () => {
    const { run, sentinel } = makeFleet();
    place(sentinel(), {
      holds: [{ id: 'x', holder: 'sre', expires_at: PASSED }],
      expires_at: PASSED,
    });
    expect(run(['window', '--', 'true']).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });

  it('two windows at once: each lifts its own, the first one first', async () => {
    const { root, sentinel } = makeFleet();
    const [one, two] = [waiting(root), waiting(root)];
    await Promise.all([one.prints('ready'), two.prints('ready')]);
    expect(holdsOf(sentinel())).toHaveLength(2);
    one.endInput();
    await one.ended;
    expect(holdsOf(sentinel())).toMatchObject([{ actor: { pid: two.pid } }]);
    two.endInput();
    await two.ended;
    expect(exists(sentinel())).toBe(false);
  });

  it('a hold under the name of --as is not replaced: nothing is run, 125', () => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-b', '--as', 'deploy', '--reason', 'by hand']);
    const before = bodyOf(sentinel('lane-b'));
    const words = ['-p', 'lane-a', '-p', 'lane-b', '--as', 'deploy'];
    const { code, stdout, stderr } = run(['window', ...words, '--', 'echo', 'ran']);
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('a hold of `deploy` is already there');
    expect(bodyOf(sentinel('lane-b'))).toEqual(before);
    expect(exists(sentinel('lane-a'))).toBe(false);
  });
});

describe('a hold that somebody else lifts while the command runs', () => {
  it('is said at once, is not placed again, and nothing is lifted at the end', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '3s'], 5);
    await live.prints('ready');
    run(['resume', '--everyone']);
    await live.complains('was lifted by somebody else');
    run(['pause', '--reason', 'later']);
    const later = bodyOf(sentinel());
    live.endInput();
    expect((await live.ended).code).toBe(5);
    expect(bodyOf(sentinel())).toEqual(later);
    expect(live.stderr()).not.toContain('lifted its hold');
    expect(live.stderr().match(/somebody else/g)).toHaveLength(1);
  });

  it('`rm` is such a lift, and so is the folder going away', async () => {
    const { root, sentinel, folder } = makeFleet('lane-a', 'lane-b');
    const live = waiting(root, ['-p', 'lane-a', '-p', 'lane-b']);
    await live.prints('ready');
    rmSync(sentinel('lane-a'));
    await live.complains('hold on lane-a was lifted by somebody else');
    rmSync(folder('lane-b'), { recursive: true });
    await live.complains('hold on lane-b was lifted by somebody else');
    live.endInput();
    expect((await live.ended).code).toBe(0);
  });

  it('a hold that replaced it under its own name is not lifted', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--as', 'deploy']);
    await live.prints('ready');
    run(['pause', '--as', 'deploy', '--reason', 'taken over', '--ttl', '3h']);
    await live.complains('was lifted by somebody else');
    live.endInput();
    await live.ended;
    expect(holdsOf(sentinel())).toMatchObject([{ holder: 'deploy', reason: 'taken over' }]);
  });

  it('a deadline moved by `fleet extend` leaves it the window’s own', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root);
    await live.prints('ready');
    const { holder } = await holdOfWindow(sentinel());
    expect(run(['extend', '--as', holder, '--ttl', '3h']).code).toBe(0);
    expect(holdsOf(sentinel())).toMatchObject([{ holder, actor: { pid: live.pid } }]);
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(live.stderr()).not.toContain('OPEN');
    expect(exists(sentinel())).toBe(false);
  });

  it('an older one of its own that an editor brought back is lifted with it', async () => {
    const { root, sentinel } = makeFleet();
    const live = waiting(root);
    await live.prints('ready');
    const body = bodyOf(sentinel());
    const [hold] = body.holds;
    const others = [
      { ...hold, id: 'older' },
      { id: 'x', holder: 'sre' },
    ];
    place(sentinel(), { ...body, holds: [hold, ...others] });
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(holdsOf(sentinel())?.map(({ id }) => id)).toEqual(['x']);
  });

  it('what others do to the file beside it is none of its business', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '2s']);
    await live.prints('ready');
    for (let round = 0; round < 5; round++) {
      run(['pause', '--as', `other-${round % 2}`]);
      run(['resume', '--as', `other-${round % 2}`]);
    }
    expect(await holdOfWindow(sentinel())).toBeDefined();
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(live.stderr()).not.toContain('OPEN');
    expect(live.stderr()).toContain('lifted its hold');
  });
});

describe.skipIf(!isSuperuser)('where this user may not write (needs root to set up)', () => {
  const writable = (path: string) => chownSync(path, NOBODY, NOBODY);

  it('nothing is run, what was placed elsewhere is lifted, 125', () => {
    const { run, sentinel, folder } = makeFleet('lane-a', 'lane-b');
    writable(folder('lane-a'));
    const words = ['window', '-p', 'lane-a', '-p', 'lane-b', '--', 'echo', 'ran'];
    const { code, stdout, stderr } = run(words, { ordinary: true });
    expect({ code, stdout }).toEqual({ code: 125, stdout: '' });
    expect(stderr).toContain('NOT run: lane-b could not be held: this user may not write there');
    expect(exists(sentinel('lane-a'))).toBe(false);
    expect(exists(sentinel('lane-b'))).toBe(false);
  });

  it.each([
    [0, 125],
    [3, 3],
  ])(
    'a hold that cannot be lifted after a status of %d is said loudly: %d',
    async (status, code) => {
      const { root, sentinel, folder, run } = makeFleet('lane-a');
      writable(folder('lane-a'));
      const line = `echo ready; cat; exit ${status}`;
      const words = [
        'window',
        '--root',
        root,
        '-p',
        'lane-a',
        '--as',
        'it’s me',
        '--',
        'sh',
        '-c',
        line,
      ];
      const live = startFleet(words, { uid: NOBODY });
      await live.prints('ready');
      chownSync(folder('lane-a'), 0, 0);
      live.endInput();
      expect((await live.ended).code).toBe(code);
      expect(live.stderr()).toContain(
        "NOT LIFTED: this window's hold on lane-a: this user may not",
      );
      expect(live.stderr()).toContain(
        `lift it with  fleet resume --root ${root} -p lane-a --as 'it’s me'`,
      );
      expect(run(['resume', '-p', 'lane-a', '--as', 'it’s me']).code).toBe(0);
      expect(exists(sentinel('lane-a'))).toBe(false);
    },
  );

  it('a hold that cannot be renewed is said once, and once when it can', async () => {
    const { root, sentinel, folder } = makeFleet('lane-a');
    writable(folder('lane-a'));
    const line = 'echo ready; cat';
    const words = ['window', '--root', root, '-p', 'lane-a', '--ttl', '6s', '--', 'sh', '-c', line];
    const live = startFleet(words, { uid: NOBODY });
    await live.prints('ready');
    const first = await holdOfWindow(sentinel('lane-a'));
    chownSync(folder('lane-a'), 0, 0);
    chmodSync(folder('lane-a'), 0o755);
    await live.complains('could not be renewed: this user may not');
    writable(folder('lane-a'));
    await live.complains('is renewed again, until');
    const renewed = await holdOfWindow(sentinel('lane-a'));
    expect(Date.parse(renewed.expires_at)).toBeGreaterThan(Date.parse(first.expires_at));
    live.endInput();
    await live.ended;
    expect(live.stderr().match(/could not be renewed/g)).toHaveLength(1);
    expect(exists(sentinel('lane-a'))).toBe(false);
  });
});

describe('a tenure that somebody left behind', () => {
  it('does not keep the window from placing, renewing and lifting its hold', async () => {
    const { root, sentinel, folder } = makeFleet();
    const live = waiting(root, ['--ttl', '2s']);
    await live.prints('ready');
    const first = await holdOfWindow(sentinel());
    mkdirSync(`${folder()}/.ESTOP.txn/gone.1.x.0`, { recursive: true });
    writeFileSync(`${folder()}/.ESTOP.txn/gone.1.x.0/new:gone.1.x.0:0`, 'torn');
    await until(() => {
      const hold = holdsOf(sentinel())?.[0];
      return hold !== undefined && hold.expires_at > first.expires_at;
    });
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(live.stderr()).not.toContain('OPEN');
    expect(exists(sentinel())).toBe(false);
  });
});

function bodyLines(path: string): Document[] {
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
