/**
 * `fleet doctor`: which folder the fleet is, and why.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { mountBind, mountsMissing } from '../../../../test/support/mounts.ts';
import { needs } from '../../../../test/support/needs.ts';
import { type Document, makeFleet, runFleet, temporaryFolder } from '../support/fleet.ts';

interface Home {
  readonly home: string;
  at(...names: readonly string[]): string;
  doctor(
    words?: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): {
    code: number | null;
    document: Document;
  };
}

/** A home folder with these fleets in it. */
function homeWith(...folders: readonly string[]): Home {
  const home = temporaryFolder();
  const at = (...names: readonly string[]) => join(home, ...names);
  for (const folder of folders) mkdirSync(at(folder, 'profiles'), { recursive: true });
  return {
    home,
    at,
    doctor(words = [], env = {}) {
      const { code, stdout } = runFleet(['doctor', '--json', ...words], {
        env: { HOME: home, ...env },
      });
      return { code, document: JSON.parse(stdout) };
    },
  };
}

const statesOf = ({ candidates }: Document): Record<string, string> =>
  Object.fromEntries(candidates.map(({ source, state }: Document) => [source, state]));

const chosenOf = ({ candidates }: Document): string[] =>
  candidates.filter(({ chosen }: Document) => chosen).map(({ source }: Document) => source);

const problemsOf = ({ findings }: Document): Document[] =>
  findings.filter(({ level, check }: Document) => check === 'root' && level !== 'ok');

describe('every place where a root is looked for is listed, in order', () => {
  it('with what is there, and which one is used', () => {
    const { doctor, at } = homeWith('.fleet', 'named');
    const { code, document } = doctor([], { FLEET_ROOT: at('named'), HERMES_HOME: at('gone') });
    expect(code).toBe(0);
    expect(document.root).toBe(at('named'));
    expect(document.candidates).toEqual([
      { source: '--root', path: null, state: 'unset', chosen: false },
      { source: 'FLEET_ROOT', path: at('named'), state: 'folder', chosen: true },
      { source: 'HERMES_HOME', path: at('gone'), state: 'missing', chosen: false },
      { source: '~/.hermes', path: at('.hermes'), state: 'missing', chosen: false },
      { source: '~/.fleet', path: at('.fleet'), state: 'folder', chosen: false },
    ]);
  });

  it.each([
    ['--root', ['--root'], {}],
    ['HERMES_HOME', [], { HERMES_HOME: 'x' }],
    ['~/.hermes', [], {}],
  ] as const)('by %s', (source, words, env) => {
    const { doctor, at } = homeWith('.hermes', 'x');
    const named = words.length > 0 ? [...words, at('x')] : [];
    const { document } = doctor(
      named,
      Object.hasOwn(env, 'HERMES_HOME') ? { HERMES_HOME: at('x') } : {},
    );
    expect(chosenOf(document)).toEqual([source]);
  });

  it('in words for people', () => {
    const { home, at } = homeWith('.fleet');
    writeFileSync(at('.hermes'), '');
    const { code, stdout } = runFleet(['doctor'], { env: { HOME: home } });
    expect(code).toBe(1);
    expect(stdout).toMatch(/~\/\.hermes +\S+\.hermes +is not a folder\n/);
    expect(stdout).toMatch(/~\/\.fleet +\S+\.fleet +is there, and not used\n/);
    expect(stdout).toMatch(/--root +not set\n/);
  });
});

describe('no root is a problem, and not the end of the examination', () => {
  it('where none is there', () => {
    const { code, document } = homeWith().doctor();
    expect(code).toBe(1);
    expect(document).toMatchObject({ root: null, root_source: null, problems: 1 });
    expect(problemsOf(document)).toMatchObject([
      { level: 'problem', what: expect.stringContaining('.fleet'), todo: expect.any(String) },
    ]);
  });

  it('where there is no home folder either', () => {
    const { code, stdout } = runFleet(['doctor', '--json']);
    expect(code).toBe(1);
    expect(statesOf(JSON.parse(stdout))['~/.fleet']).toBe('unset');
  });

  it('where the one that is named does not exist, or is a file', () => {
    const { doctor, at } = homeWith('.fleet');
    writeFileSync(at('file'), '');
    const gone = doctor(['--root', at('gone')]);
    expect([gone.code, statesOf(gone.document)['--root']]).toEqual([1, 'missing']);
    const file = doctor(['--root', at('file')]);
    expect([file.code, statesOf(file.document)['--root']]).toEqual([1, 'not-a-folder']);
  });

  it('where the one that is named shows no fleet: exit 3, and with --fix 2', () => {
    const { doctor, at } = homeWith('.fleet');
    mkdirSync(at('x'));
    const { code, document } = doctor(['--root', at('x')]);
    expect(code).toBe(3);
    expect(document).toMatchObject({ root: null, unexamined: 1 });
    expect(problemsOf(document)).toMatchObject([{ what: expect.stringContaining('no fleet') }]);
    expect(doctor(['--root', at('x'), '--fix']).code).toBe(2);
  });

  it('and one that cannot be reached is exit 3', () => {
    const { at } = homeWith('closed/fleet');
    chmodSync(at('closed'), 0o700);
    const { code, stdout } = runFleet(['doctor', '--json', '--root', at('closed', 'fleet')], {
      ordinary: true,
    });
    const document = JSON.parse(stdout);
    expect(code).toBe(3);
    expect(statesOf(document)['--root']).toBe('EACCES');
    expect(document.unexamined).toBe(1);
  });
});

describe('folders that may be taken for the fleet', () => {
  it('~/.hermes and ~/.fleet together are a warning, where one of them is used', () => {
    const { code, document } = homeWith('.hermes', '.fleet').doctor();
    expect(code).toBe(0);
    expect(chosenOf(document)).toEqual(['~/.hermes']);
    expect(problemsOf(document)).toMatchObject([{ level: 'warning' }]);
  });

  it('and a note where neither is', () => {
    const { doctor, at } = homeWith('.hermes', '.fleet', 'x');
    expect(problemsOf(doctor(['--root', at('x')]).document)).toMatchObject([{ level: 'note' }]);
  });

  it('a sentinel in one that is not used holds nothing, which is a warning', () => {
    const { doctor, at } = homeWith('.hermes', '.fleet', 'other');
    writeFileSync(at('.fleet', 'ESTOP'), '');
    writeFileSync(at('other', 'ESTOP'), '');
    const { document } = doctor();
    expect(problemsOf(document)).toMatchObject([
      { level: 'warning' },
      { level: 'warning', where: at('.fleet', 'ESTOP') },
    ]);
  });

  it('nothing of that where two names lead to the same fleet', () => {
    const { doctor, at } = homeWith('.hermes/profiles/lane-a');
    symlinkSync('.hermes', at('.fleet'));
    writeFileSync(at('.hermes', 'ESTOP'), '');
    writeFileSync(at('.hermes', 'profiles', 'lane-a', 'ESTOP'), '');
    const { document } = doctor([], { HERMES_HOME: at('.hermes', 'profiles', 'lane-a') });
    expect(document.root).toBe(at('.hermes'));
    expect(problemsOf(document).filter(({ where }: Document) => where !== null)).toEqual([]);
  });
});

describe('the number of the folder', () => {
  needs(mountsMissing);

  const numberAt = (root: string): string =>
    /its number is ([0-9]+:[0-9]+)/.exec(runFleet(['doctor', '--root', root]).stdout)?.[1] ?? '';

  it('is the same where the fleet is mounted, and another one in a copy', () => {
    const { root } = makeFleet('lane-a');
    const [mounted, copy] = [join(temporaryFolder(), 'mounted'), join(temporaryFolder(), 'copy')];
    mkdirSync(mounted);
    mountBind(root, mounted);
    cpSync(root, copy, { recursive: true });
    const number = numberAt(root);
    expect(execFileSync('stat', ['-c', '%d:%i', root], { encoding: 'utf8' })).toBe(`${number}\n`);
    expect(numberAt(mounted)).toBe(number);
    expect(numberAt(copy)).not.toBe(number);
  });
});
