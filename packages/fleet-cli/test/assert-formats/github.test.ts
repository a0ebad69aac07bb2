/**
 * `fleet assert --format github`: workflow annotations, and nothing that was not meant as one.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFleet, place, spoil, spoilProfiles, UNSAFE } from '../support/fleet.ts';
import { HOSTILE } from './hostile.ts';

interface Annotation {
  readonly command: string;
  readonly title: string;
  readonly message: string;
}

/** As the runner reads a log: line by line, whichever line ends there are. */
function annotationsIn(log: string): Annotation[] {
  expect(log.endsWith('\n')).toBe(true);
  return log
    .slice(0, -1)
    .split(/\r\n|[\r\n]/)
    .map((line) => {
      const [, command = '', properties = '', message = ''] =
        /^::([a-z-]+)(?: ([^:]*))?::(.*)$/.exec(line) ?? [];
      if (command === '') throw new Error(`not an annotation: ${line}`);
      const [name, title = '', ...more] = properties.split(/[=,]/);
      expect([name, more]).toEqual(['title', []]);
      return { command, title: unescaped(title), message: unescaped(message) };
    });
}

const unescaped = (text: string): string =>
  text
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n')
    .replaceAll('%3A', ':')
    .replaceAll('%2C', ',')
    .replaceAll('%25', '%');

describe('what is wrong is an annotation, and nothing else is', () => {
  it('a profile that is not as claimed is an error; of those that are, nothing is said', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-b', '--reason', 'bad deploy']);
    const { code, stdout, stderr } = run(['assert', 'running', '--format', 'github']);
    expect(code).toBe(1);
    const title = 'fleet assert running';
    expect(annotationsIn(stdout)).toEqual([
      {
        command: 'error',
        title,
        message: 'lane-b is not running: paused by operator: bad deploy [lane-b]',
      },
    ]);
    expect(stderr).toBe('not running: lane-b\n');
  });

  it('what could not be read is an error', () => {
    const { run, sentinel } = makeFleet('lane-a');
    spoil(sentinel('lane-a'));
    const { code, stdout } = run(['assert', 'paused', '-p', 'lane-a', '--format', 'github']);
    expect(code).toBe(3);
    expect(annotationsIn(stdout)).toMatchObject([
      { command: 'error', message: expect.stringContaining('lane-a: unknown') },
    ]);
  });

  it('and so are profiles that cannot be listed', () => {
    const { run, root } = makeFleet();
    spoilProfiles(root);
    const { code, stdout } = run(['assert', 'running', '--format', 'github']);
    expect(code).toBe(3);
    expect(annotationsIn(stdout)).toMatchObject([{ command: 'error' }]);
  });

  it('where all is as claimed there is none, nor of a profile that may be absent', () => {
    const { run } = makeFleet('lane-a');
    const words = ['-p', 'lane-a', '-p', 'gone', '--allow-missing', '--format', 'github'];
    expect(run(['assert', 'running', ...words])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  it('--quiet leaves them: they were asked for', () => {
    const { run } = makeFleet('lane-a');
    const words = ['assert', 'paused', '--format', 'github'];
    expect(run([...words, '--quiet']).stdout).toBe(run(words).stdout);
  });
});

describe('no text of a file forges another command', () => {
  it.each(HOSTILE)('%s in a reason', (_what, reason) => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    place(sentinel('lane-a'), { holds: [{ id: 'x', holder: 'sre', reason }] });
    for (const claim of ['running', 'paused']) {
      const { stdout, stderr } = run(['assert', claim, '-p', 'lane-a', '--format', 'github']);
      if (claim === 'running') expect(annotationsIn(stdout)).toHaveLength(1);
      else expect(stdout).toBe('');
      expect(stdout).not.toMatch(UNSAFE);
      expect(stdout + stderr).not.toContain('##[');
      expect(stderr).not.toMatch(/^\s*::/m);
    }
  });

  it.each(HOSTILE)('%s as a holder', (_what, holder) => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { holds: [{ id: 'x', holder }] });
    const { stdout } = run(['assert', 'running', '-p', 'lane-a', '--format', 'github']);
    expect(annotationsIn(stdout)).toHaveLength(1);
  });

  it('nor does a holder that is asked about', () => {
    const { run } = makeFleet('lane-a');
    const holder = 'a,b::c%0A\n::error::forged ##[error]x';
    const { stdout } = run(['assert', 'held-by', holder, '-p', 'lane-a', '--format', 'github']);
    const [annotation, ...others] = annotationsIn(stdout);
    expect(others).toEqual([]);
    expect(annotation?.title).toBe(
      'fleet assert held-by a,b::c%0A\\u{a}::error::forged #\\u{23}[error]x',
    );
  });

  it('nor a folder among the profiles', () => {
    const { run, root } = makeFleet('lane-a');
    mkdirSync(join(root, 'profiles', '::error::x'));
    expect(annotationsIn(run(['assert', 'paused', '--format', 'github']).stdout)).toHaveLength(2);
  });
});
