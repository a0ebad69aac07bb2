/**
 * What the scripts are answered when they ask what could come next.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Fleet, place, runFleet, temporaryFolder } from '../support/fleet.ts';
import { labelledFleet, snapshotOf } from '../support/snapshot.ts';

function sampleFleet(): Fleet {
  const fleet = labelledFleet({
    'lane-a': { tier: 'interactive', team: 'support' },
    'lane-b': { tier: 'batch' },
    nightly: null,
  });
  place(fleet.sentinel('lane-b'), {
    generation: 'g',
    holds: [
      { id: 'h1', holder: "o'brien & co", reason: 'x' },
      { id: 'h2', holder: 'deploy' },
    ],
  });
  return fleet;
}

function ask(fleet: Fleet, words: readonly string[], shell = 'fish', prefix = ''): string[] {
  const { code, stdout, stderr } = runFleet(['__complete', shell, prefix, ...words], {
    env: { FLEET_ROOT: fleet.root },
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.split('\n').slice(0, -1);
}

const values = (lines: readonly string[]): string[] =>
  lines.map((line) => line.split('\t')[0] ?? '');

const CASES: readonly (readonly [readonly string[], readonly string[]])[] = [
  [['pau'], ['pause']],
  [['re'], ['resume', 'restart']],
  [['help', 'ga'], ['gate']],
  [
    ['pause', '-p', ''],
    ['lane-a', 'lane-b', 'nightly'],
  ],
  [
    ['pause', '-p', 'lane'],
    ['lane-a', 'lane-b'],
  ],
  [['pause', '-p', 'lane-a', '-p', 'n'], ['nightly']],
  [['pause', '--profile=n'], ['--profile=nightly']],
  [['--json', 'pause', '--profile', 'n'], ['nightly']],
  [['pause', '--allow-profile', 'n'], ['nightly']],
  [['pause', '--reason', '-p', 'n'], []],
  [['pause', '--reason', 'pau'], []],
  [
    ['status', '-l', ''],
    ['team', 'team=support', 'tier', 'tier=batch', 'tier=interactive'],
  ],
  [
    ['status', '-l', 'tier='],
    ['tier=batch', 'tier=interactive'],
  ],
  [
    ['status', '-l', 'tier!'],
    ['tier!=batch', 'tier!=interactive'],
  ],
  [
    ['status', '-l', '!'],
    ['!team', '!tier'],
  ],
  [['status', '--label=tier=b'], ['--label=tier=batch']],
  [
    ['resume', '--as', ''],
    ['operator', "o'brien & co", 'deploy'],
  ],
  [
    ['resume', '--hold', ''],
    ['h1', 'h2'],
  ],
  [
    ['assert', ''],
    ['paused', 'running', 'acknowledged', 'drained', 'held-by', 'free-of'],
  ],
  [['assert', 'held-by', 'd'], ['deploy']],
  [
    ['assert', 'running', '--format', 'j'],
    ['json', 'junit'],
  ],
  [['status', '--only', 'p'], ['paused']],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [
    ['status', '--color', 'a'],
    ['auto', 'always'],
  ],
  [['--color', 'n'], ['never']],
  [['--ro'], ['--root']],
  [['status', '--root', ''], [':folders']],
  [['--root', '/t'], [':folders']],
  [['init', ''], [':folders']],
  [['window', '--', ''], [':command']],
  [['gate', '-p', 'lane-a', '--', 'make', 'te'], [':command']],
  [['no-such-verb', ''], []],
  [['__complete', ''], []],
];

describe('the words that could come next', () => {
  it.each(CASES)('%j', (words, expected) => {
    expect(values(ask(sampleFleet(), words))).toEqual(expected);
  });

  it('options are offered after a dash, and where nothing else can stand', () => {
    const fleet = sampleFleet();
    for (const words of [
      ['pause', '--'],
      ['pause', ''],
    ]) {
      const offered = values(ask(fleet, words));
      expect(offered).toContain('--reason');
      expect(offered).toContain('--dry-run');
    }
    expect(values(ask(fleet, ['pause', '-']))).toContain('-p');
  });

  it('every verb that --help shows, and no hidden one', () => {
    const offered = values(ask(sampleFleet(), ['']));
    const help = runFleet(['--help']).stdout;
    const shown = [...help.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, verb]) => verb);
    expect(offered.sort()).toEqual(shown.filter((word) => word !== undefined).sort());
  });

  it('every value offered for --format and --only is one that its verb takes', () => {
    const fleet = sampleFleet();
    for (const format of values(ask(fleet, ['assert', 'paused', '--format', '']))) {
      expect(fleet.run(['assert', 'paused', '--format', format]).code).toBe(1);
    }
    for (const only of values(ask(fleet, ['status', '--only', '']))) {
      expect(fleet.run(['status', '--only', only]).code).toBe(0);
    }
  });

  it('the root that is named in the line is the one that is looked at', () => {
    const [here, there] = [labelledFleet({ here: null }), labelledFleet({ there: null })];
    expect(values(ask(here, ['--root', there.root, 'pause', '-p', '']))).toEqual(['there']);
    expect(values(ask(here, ['pause', `--root=${there.root}`, '-p', '']))).toEqual(['there']);
    expect(values(ask(here, ['pause', '--root', there.root, '-p', '']))).toEqual(['there']);
  });

  it('shells that show more are told the state of a profile, and whose hold it is', () => {
    const fleet = sampleFleet();
    expect(ask(fleet, ['pause', '-p', 'lane'])).toEqual(['lane-a\trunning', 'lane-b\tpaused']);
    expect(ask(fleet, ['resume', '--hold', 'h2'])).toEqual(['h2\tlane-b: deploy: no reason given']);
  });
});

describe('it never fails loudly, and never writes', () => {
  it.each([
    ['no fleet', ['pause', '-p', ''], { FLEET_ROOT: '/nowhere' }],
    ['no home', ['pause', '-p', ''], {}],
    ['no words', [], {}],
    ['nonsense', ['\u0000', '\ud800', '--=', '='], {}],
  ] as const)('%s: nothing, and status 0', (_what, words, env) => {
    const answer = runFleet(
      ['__complete', 'bash', '', ...words.map((word) => word.replace('\u0000', ''))],
      { env },
    );
    expect(answer).toMatchObject({ code: 0, stderr: '' });
  });

  it('without even a shell', () => {
    expect(runFleet(['__complete'])).toMatchObject({ code: 0, stderr: '' });
  });

  it('broken settings and unreadable sentinels are passed over', () => {
    const fleet = sampleFleet();
    writeFileSync(join(fleet.folder('nightly'), 'profile.yaml'), '{');
    place(fleet.sentinel('nightly'), '{');
    spawnSync('mkfifo', [fleet.sentinel()]);
    mkdirSync(fleet.folder('Not A Lane'));
    expect(values(ask(fleet, ['status', '-l', 'tier=b']))).toEqual(['tier=batch']);
    expect(values(ask(fleet, ['pause', '-p', 'n']))).toEqual(['nightly']);
    expect(values(ask(fleet, ['resume', '--as', 'd']))).toEqual(['deploy']);
  });

  it('the fleet is as it was', () => {
    const fleet = sampleFleet();
    place(fleet.sentinel('lane-a'), { expires_at: '2020-01-01T00:00:00Z' });
    const before = snapshotOf(fleet.root);
    for (const words of [
      ['pause', '-p', ''],
      ['resume', '--as', ''],
      ['status', '-l', ''],
    ]) {
      ask(fleet, words);
    }
    expect(snapshotOf(fleet.root)).toEqual(before);
  });

  it('a reader that goes away changes nothing', () => {
    const { code } = runFleet(['__complete', 'bash', '', ''], { cwd: temporaryFolder() });
    expect(code).toBe(0);
  });
});

describe('what files say is inserted as a word, and runs nothing', () => {
  const nasty = ['$(touch pwned)', '`touch pwned`', "a'b", 'x; rm -rf ~', '"', '!!', '\\', '*'];

  it('in bash each value is quoted, and within open quotes only what can stand there is offered', () => {
    const fleet = labelledFleet({ a: null });
    place(fleet.sentinel('a'), {
      generation: 'g',
      holds: nasty.map((holder, at) => ({ id: `h${at}`, holder })),
    });
    const offered = ask(fleet, ['resume', '--as', ''], 'bash');
    for (const [at, word] of offered.slice(1).entries()) {
      const { stdout } = spawnSync('bash', ['-c', `printf %s ${word}`], { encoding: 'utf8' });
      expect(stdout).toBe(nasty[at]);
    }
    expect(offered).toHaveLength(1 + nasty.length);
    for (const quote of ["'", '"']) {
      for (const word of ask(fleet, ['resume', '--as', quote], 'bash')) {
        const line = `printf %s ${quote}${word}${quote}`;
        const { stdout } = spawnSync('bash', ['-c', line], { encoding: 'utf8' });
        expect(['operator', ...nasty]).toContain(stdout);
      }
    }
  });

  it('a holder with a line break, or with what is not seen, is not offered at all', () => {
    const fleet = labelledFleet({ a: null });
    const holds = ['a\nb', 'a\tb', 'a\u202eb', ':command'].map((holder, at) => ({
      id: `${at}`,
      holder,
    }));
    place(fleet.sentinel('a'), { generation: 'g', holds });
    expect(values(ask(fleet, ['resume', '--as', ''], 'zsh'))).toEqual(['operator', ':command']);
    place(fleet.sentinel('a'), { generation: 'g', holds: [{ id: 'x\n:command' }, { id: 'y' }] });
    expect(values(ask(fleet, ['resume', '--hold', '']))).toEqual(['y']);
  });

  it('what the shell does not replace is left out of the word', () => {
    const fleet = sampleFleet();
    expect(ask(fleet, ['status', '-l', 'tier=b'], 'bash', 'tier=')).toEqual(['batch']);
    expect(ask(fleet, ['status', '--label=tier=b'], 'bash', '--label=tier=')).toEqual(['batch']);
  });
});
