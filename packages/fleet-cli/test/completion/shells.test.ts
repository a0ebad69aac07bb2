/**
 * The completion scripts in the shells themselves: keys are typed, and the line is looked at.
 * zsh and fish are not on every machine; which of them were used is in the titles that ran.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Fleet, PERSON, place, runFleet, temporaryFolder } from '../support/fleet.ts';
import { fleetOnPath, isInstalled, startShell } from '../support/shells.ts';
import { labelledFleet } from '../support/snapshot.ts';

function sampleFleet(): Fleet {
  const fleet = labelledFleet({
    'lane-a': { tier: 'interactive' },
    'lane-b': { tier: 'batch' },
    nightly: null,
  });
  place(fleet.sentinel('lane-b'), { generation: 'g', holds: [{ id: 'h', holder: 'sre on call' }] });
  writeFileSync(join(fleet.root, 'deploy-script'), '');
  return fleet;
}

const isPresent: Readonly<Record<'zsh' | 'fish', boolean>> = {
  zsh: isInstalled('zsh'),
  fish: isInstalled('fish'),
};
const absent = Object.entries(isPresent).flatMap(([shell, present]) => (present ? [] : [shell]));
if (absent.length > 0) {
  process.stderr.write(`completion is not tried in ${absent.join(' and ')}: not installed\n`);
}

/** What is typed, up to and with the tab, and the line that the shell makes of it. */
const LINES: readonly (readonly [string, string])[] = [
  ['fleet sta\t', 'fleet status '],
  ['fleet pause -p n\t', 'fleet pause -p nightly '],
  ['fleet pause --profile=n\t', 'fleet pause --profile=nightly '],
  ['fleet resume -l tier=b\t', 'fleet resume -l tier=batch '],
  ['fleet resume --label=tier=b\t', 'fleet resume --label=tier=batch '],
  ['fleet pause --dry\t', 'fleet pause --dry-run '],
  ['fleet assert held-by op\t', 'fleet assert held-by operator '],
];

function needsTerminal(): void {
  beforeEach(({ skip }) => {
    if (!isInstalled('python3')) skip('python3 makes the terminal, and is not installed');
  });
}

describe('in bash, on a terminal', () => {
  needsTerminal();

  it('verbs, options, profiles, labels, holders, folders and commands are completed', async () => {
    const fleet = sampleFleet();
    const shell = await startShell('bash', fleet.root);
    for (const [keys, line] of LINES) await shell.types(keys, line);
    await shell.types('fleet resume --as s\t', "'sre on call' ");
    await shell.types('fleet resume --as "s\t', 'fleet resume --as "sre on call" ');
    await shell.types(`fleet --root ${fleet.root}/prof\t`, `${fleet.root}/profiles/`);
    await shell.types('fleet window -p lane-a -- printen\t', '-- printenv ');
    await shell.types(`fleet gate -- cat ${fleet.root}/deploy-s\t`, `${fleet.root}/deploy-script `);
    await shell.types('true && fleet pause -p n\t', 'true && fleet pause -p nightly ');
    await shell.types('fleet pause -p lane-\t\t', 'lane-a  lane-b');
  }, 60_000);

  it('where nothing fits, nothing is inserted and nothing is said', async () => {
    const shell = await startShell('bash', sampleFleet().root);
    await shell.types(
      'fleet pause -p zzz\t; echo still-here',
      'fleet pause -p zzz\u0007; echo still-here',
    );
  }, 60_000);
});

describe.each(isPresent.zsh ? ['zsh'] : [])('in %s, on a terminal', () => {
  needsTerminal();

  it('verbs, options, profiles, labels, holders, folders and commands are completed', async () => {
    const fleet = sampleFleet();
    const shell = await startShell('zsh', fleet.root);
    for (const [keys, line] of LINES) await shell.types(keys, line);
    await shell.types('fleet resume --as s\t', 'fleet resume --as sre\\ on\\ call ');
    await shell.types(`fleet --root ${fleet.root}/prof\t`, `${fleet.root}/profiles/`);
    await shell.types('fleet window -p lane-a -- printen\t', '-- printenv ');
    await shell.types('fleet pause -p lane\t\t', 'lane-b  -- paused');
  }, 60_000);

  it('as a file of $fpath it is a completion of zsh like any other', () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, '_fleet'), runFleet(['completion', 'zsh']).stdout);
    const line =
      'fpath=($1 $fpath); autoload -Uz compinit; compinit -u -D; print -r -- $_comps[fleet]';
    const { stdout } = spawnSync('zsh', ['-f', '-c', line, 'zsh', folder], { encoding: 'utf8' });
    expect(stdout).toBe('_fleet\n');
  });
});

describe.each(isPresent.fish ? ['fish'] : [])('in %s, by its own command for it', (shell) => {
  it('verbs, options, profiles, labels, holders, folders and commands are completed', () => {
    const fleet = sampleFleet();
    const complete = (line: string): string[] => {
      const script = 'fleet completion fish | source; complete -C $argv[1]';
      const { stdout } = spawnSync(shell, ['--no-config', '-c', script, line], {
        encoding: 'utf8',
        env: { ...PERSON, PATH: fleetOnPath(), HOME: temporaryFolder(), FLEET_ROOT: fleet.root },
      });
      return stdout.split('\n').slice(0, -1);
    };
    for (const [keys, line] of LINES) {
      const last = line.trimEnd().split(' ').at(-1);
      expect(complete(keys.trimEnd()).map((found) => found.split('\t')[0])).toEqual([last]);
    }
    expect(complete('fleet resume --as s')).toEqual(['sre on call\tholds lane-b']);
    expect(complete(`fleet --root ${fleet.root}/prof`)[0]).toContain(`${fleet.root}/profiles/`);
    expect(complete('fleet window -p lane-a -- printen')[0]).toContain('printenv');
    expect(complete('fleet pause -p lane')).toEqual(['lane-a\trunning', 'lane-b\tpaused']);
  }, 60_000);
});

describe('fleet completion', () => {
  it.each(['bash', 'zsh', 'fish'])('%s prints a script, as text and as JSON', (shell) => {
    const { code, stdout, stderr } = runFleet(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { schema, script } = JSON.parse(runFleet(['completion', shell, '--json']).stdout);
    expect(schema).toBe('fleet/completion/v1');
    expect(script).toBe(stdout);
  });

  it.each([[], ['powershell'], ['bash', 'zsh'], ['bash', '-p', 'a']])(
    '%j is refused',
    (...words) => {
      expect(runFleet(['completion', ...words])).toMatchObject({ code: 2, stdout: '' });
    },
  );

  it('the script of bash needs nothing that bash 3.2 does not have', () => {
    const { stdout } = runFleet(['completion', 'bash']);
    expect(stdout).not.toMatch(
      /mapfile|readarray|declare -A|local -n|\$\{[^}]*(\^|,,|@[A-Z])\}|&>>|nosort/,
    );
  });
});
