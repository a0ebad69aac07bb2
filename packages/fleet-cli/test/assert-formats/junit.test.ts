/**
 * `fleet assert --format junit`: a file that a real XML parser reads, whatever is written in sentinels.
 */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Document, makeFleet, place, spoil, spoilProfiles } from '../support/fleet.ts';
import { HOSTILE } from './hostile.ts';

const PARSER = `
import json, sys, xml.etree.ElementTree as tree
def shown(element):
    return {'tag': element.tag, **element.attrib, 'text': (element.text or '').strip(),
            'children': [shown(child) for child in element]}
json.dump(shown(tree.fromstring(sys.stdin.buffer.read())), sys.stdout)
`;

/** The root element, as Python's parser has it. Throws for what is not well-formed. */
function parsed(xml: string): Document {
  const { status, stdout, stderr } = spawnSync('python3', ['-c', PARSER], {
    input: xml,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${stderr}\n${xml}`);
  return JSON.parse(stdout);
}

function suiteIn(xml: string): Document {
  const { tag, children } = parsed(xml);
  expect([tag, children.length, children[0].tag]).toEqual(['testsuites', 1, 'testsuite']);
  return children[0];
}

describe('every judgement is a test case', () => {
  it('that passed, failed, or could not be told', () => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b', 'lane-c');
    run(['pause', '-p', 'lane-b', '--reason', 'bad deploy']);
    spoil(sentinel('lane-c'));
    const { code, stdout } = run(['assert', 'running', '--format', 'junit']);
    expect(code).toBe(3);
    expect(stdout.startsWith('<?xml version="1.0" encoding="UTF-8"?>\n')).toBe(true);
    const suite = suiteIn(stdout);
    expect(suite).toMatchObject({
      name: 'fleet assert running',
      tests: '4',
      failures: '1',
      errors: '1',
      skipped: '0',
      time: '0.000',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
    });
    const classname = 'fleet.assert.running';
    expect(suite.children).toMatchObject([
      {
        tag: 'testcase',
        classname,
        name: '(root)',
        children: [{ tag: 'system-out', text: 'running' }],
      },
      { tag: 'testcase', classname, name: 'lane-a', children: [{ tag: 'system-out' }] },
      {
        name: 'lane-b',
        children: [
          {
            tag: 'failure',
            type: 'not-as-claimed',
            message: 'lane-b is not running: paused by operator: bad deploy [lane-b]',
          },
        ],
      },
      {
        name: 'lane-c',
        children: [{ tag: 'error', message: expect.stringContaining('lane-c: unknown') }],
      },
    ]);
  });

  it('or was skipped, because there is no such profile', () => {
    const { run } = makeFleet('lane-a');
    const words = ['-p', 'lane-a', '-p', 'gone', '--allow-missing', '--format', 'junit'];
    const { code, stdout } = run(['assert', 'running', ...words]);
    expect(code).toBe(0);
    const suite = suiteIn(stdout);
    expect(suite).toMatchObject({ tests: '2', failures: '0', errors: '0', skipped: '1' });
    expect(suite.children[1]).toMatchObject({ name: 'gone', children: [{ tag: 'skipped' }] });
  });

  it('and profiles that cannot be listed are an error', () => {
    const { run, root } = makeFleet();
    spoilProfiles(root);
    const suite = suiteIn(run(['assert', 'running', '--format', 'junit']).stdout);
    expect(suite).toMatchObject({ tests: '2', errors: '1' });
    expect(suite.children[1]).toMatchObject({ name: '(profiles)', children: [{ tag: 'error' }] });
  });

  it('and the time that was waited is told', () => {
    const { run } = makeFleet('lane-a');
    const words = ['assert', 'paused', '-p', 'lane-a', '--within', '1s', '--format', 'junit'];
    const { code, stdout } = run(words);
    expect(code).toBe(5);
    const { time, children } = suiteIn(stdout);
    expect(Number(time)).toBeGreaterThanOrEqual(1);
    expect(children[0].children[0].message).toMatch(/^lane-a is not paused within \d+s: running$/);
  });
});

describe('whatever is written in a sentinel, the file is well-formed and says it', () => {
  it.each(HOSTILE)('%s in a reason', (_what, reason) => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel('lane-a'), { holds: [{ id: 'x', holder: 'sre', reason }] });
    const failed = suiteIn(run(['assert', 'running', '-p', 'lane-a', '--format', 'junit']).stdout);
    expect(failed.children).toHaveLength(1);
    expect(failed.children[0].children).toMatchObject([{ tag: 'failure', type: 'not-as-claimed' }]);
    expect(failed.children[0].children[0].message).toContain('paused by sre: ');
    const passed = suiteIn(run(['assert', 'paused', '-p', 'lane-a', '--format', 'junit']).stdout);
    expect(passed.children[0].children).toMatchObject([{ tag: 'system-out', children: [] }]);
  });

  it('markup arrives as the text it is', () => {
    const { run, sentinel } = makeFleet('lane-a');
    const reason = `<a href="x">'&amp;'</a>`;
    place(sentinel('lane-a'), { holds: [{ id: 'x', holder: 'sre', reason }] });
    const suite = suiteIn(run(['assert', 'running', '-p', 'lane-a', '--format', 'junit']).stdout);
    expect(suite.children[0].children[0].message).toContain(`sre: ${reason} [lane-a]`);
  });

  it('a holder that is asked about', () => {
    const { run } = makeFleet('lane-a');
    const words = ['assert', 'held-by', '<b>&"\ufffe', '-p', 'lane-a', '--format', 'junit'];
    expect(suiteIn(run(words).stdout).name).toBe('fleet assert held-by <b>&"');
  });
});

it('a file that could not be written is not a pass', ({ skip }) => {
  skip(!existsSync('/dev/full'), 'there is no /dev/full here');
  const { run } = makeFleet('lane-a');
  const fd = openSync('/dev/full', 'w');
  const { code, stderr } = run(['assert', 'running', '--format', 'junit'], { stdout: fd });
  closeSync(fd);
  expect(code).toBe(3);
  expect(stderr).toContain('ENOSPC');
});
