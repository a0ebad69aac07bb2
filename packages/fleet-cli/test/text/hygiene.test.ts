/**
 * Free text from files and arguments is data: none of it reaches a terminal as it is.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fleetAt, makeFleet, place, temporaryFolder, UNSAFE } from '../support/fleet.ts';

const HOSTILE =
  'a\u001b[2J\u001b]0;x\u0007\r\nPAUSED\tb\u009b1m\u007f\u202egnp\u2066\u2069\u200b\u200f\u2028\u2029\ufeff\u00ad\u{e0041}c';
const SHOWN = 'a\\u{1b}[2J\\u{1b}]0;x\\u{7}\\u{d}\\u{a}PAUSED\\u{9}b\\u{9b}1m\\u{7f}\\u{202e}gnp';

/** In every place where a file can say something. */
const hold = {
  id: `id ${HOSTILE}`,
  holder: `h ${HOSTILE}`,
  reason: HOSTILE,
  engaged_at: HOSTILE,
  expires_at: HOSTILE,
  allow: { user_ids: [HOSTILE], profiles: [HOSTILE] },
  actor: { user: HOSTILE, host: HOSTILE, pid: 1, via: HOSTILE },
};
const body = { generation: HOSTILE, holds: [hold] };

describe('hostile text in a sentinel', () => {
  it.each([
    ['status', ['status'], 0],
    ['explain', ['explain', '-p', 'lane-a', '--user', 'u'], 0],
    ['assert paused', ['assert', 'paused', '-p', 'lane-a'], 0],
    ['assert running', ['assert', 'running', '-p', 'lane-a'], 1],
    ['resume', ['resume', '-p', 'lane-a'], 1],
    ['pause', ['pause', '-p', 'lane-a'], 0],
    ['a lost compare and set', ['pause', '-p', 'lane-a', '--if-generation', 'x'], 6],
    ['resume --everyone', ['resume', '-p', 'lane-a', '--everyone'], 0],
  ])('%s shows it escaped, on stdout, on stderr and as JSON', (_what, words, code) => {
    const { run, sentinel } = makeFleet('lane-a');
    for (const more of [[], ['--json']]) {
      place(sentinel('lane-a'), body);
      const outcome = run([...words, ...more], { env: { COLUMNS: '2000' } });
      expect(outcome.code).toBe(code);
      expect(outcome.stdout).not.toMatch(UNSAFE);
      expect(outcome.stderr).not.toMatch(UNSAFE);
      if (more.length > 0) JSON.parse(outcome.stdout);
    }
  });

  it('the text is still there to be read, and JSON gives it back as it is', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), body);
    expect(run(['explain', '-p', 'lane-a']).stdout).toContain(SHOWN);
    const { document } = json(['status']);
    expect(document.lanes[0].scope.holds[0]).toMatchObject({
      reason: HOSTILE,
      holder: hold.holder,
    });
  });

  it('a reason cannot forge a line of its own', () => {
    const { run } = makeFleet('lane-a');
    const { stdout } = run(['pause', '--reason', 'x\nRESUMED the root: nothing holds it']);
    expect(stdout).not.toMatch(/^RESUMED/m);
  });
});

describe('hostile names of folders', () => {
  it('a rejected folder is shown escaped', () => {
    const { run, folder } = makeFleet('lane-a');
    mkdirSync(folder('x\u001b[31m\ny\u202e'));
    const { stdout } = run(['status']);
    expect(stdout).toContain('profiles/x\\u{1b}[31m\\u{a}y\\u{202e}');
    expect(stdout).not.toMatch(UNSAFE);
  });

  it('a root with such a name is shown escaped, and the lifting command still finds it', () => {
    const root = join(temporaryFolder(), 'r\u001b[31m\n');
    mkdirSync(join(root, 'profiles'), { recursive: true });
    const { code, stdout, stderr } = fleetAt(root).run(['pause']);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(UNSAFE);
    expect(stderr).not.toMatch(UNSAFE);
    expect(stdout).toMatch(/--root \$'.*r\\x1b\[31m\\x0a'/);
  });

  it('a root that does not exist is shown escaped', () => {
    const { code, stderr } = fleetAt('/nowhere/\u001b[31m').run(['status']);
    expect(code).toBe(2);
    expect(stderr).not.toMatch(UNSAFE);
  });
});

describe('colour', () => {
  it('is off where stdout is no terminal, on with --color always, off again with never', () => {
    const { run } = makeFleet('lane-a');
    expect(run(['status']).stdout).not.toContain('\u001b');
    expect(run(['status', '--color', 'always']).stdout).toContain('\u001b[32mrunning\u001b[39m');
    expect(run(['status', '--color', 'never']).stdout).not.toContain('\u001b');
    expect(run(['status', '--json', '--color', 'always']).stdout).not.toContain('\u001b');
  });
});
