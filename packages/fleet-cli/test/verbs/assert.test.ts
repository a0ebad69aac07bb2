import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeFleet, PASSED, place, spoil, spoilProfiles } from '../support/fleet.ts';

describe('what an assertion is about', () => {
  it('without -p: the root and every profile, each judged and listed', () => {
    const { json, run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    const { code, stdout, stderr } = run(['assert', 'paused']);
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'FAIL  (root)  running',
      'ok    lane-a  paused by operator: no reason given [lane-a]',
      'FAIL  lane-b  running',
      '',
    ]);
    expect(stderr).toBe('not paused: (root), lane-b\n');
    const { document } = json(['assert', 'paused']);
    expect(document).toMatchObject({ schema: 'fleet/assert/v1', claim: 'paused', holds: false });
    expect(document.judgements).toMatchObject([
      { profile: null, verdict: 'fail', state: 'free' },
      { profile: 'lane-a', verdict: 'pass', state: 'paused', holders: ['operator'] },
      { profile: 'lane-b', verdict: 'fail', state: 'free' },
    ]);
  });

  it('with -p: those profiles alone', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    expect(run(['assert', 'paused', '-p', 'lane-a']).code).toBe(0);
    expect(run(['assert', 'running', '-p', 'lane-b']).code).toBe(0);
    expect(run(['assert', 'paused', '-p', 'lane-a', '-p', 'lane-b']).code).toBe(1);
    expect(run(['assert', 'running', '-p', 'lane-a', '-p', 'lane-b']).code).toBe(1);
  });

  it('a root hold makes every profile paused, and none running', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause']);
    expect(run(['assert', 'paused']).code).toBe(0);
    expect(run(['assert', 'running', '-p', 'lane-a']).code).toBe(1);
    expect(run(['assert', 'paused', '-p', 'default']).code).toBe(0);
  });

  it('held-by and free-of look through the whole chain, at the exact name', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '--as', 'deploy']);
    run(['pause', '-p', 'lane-a', '--as', 'sre']);
    expect(run(['assert', 'held-by', 'deploy']).code).toBe(0);
    expect(run(['assert', 'held-by', 'sre', '-p', 'lane-a']).code).toBe(0);
    expect(run(['assert', 'held-by', 'sre']).code).toBe(1);
    expect(run(['assert', 'free-of', 'sre', '-p', 'lane-b']).code).toBe(0);
    expect(run(['assert', 'free-of', 'deploy', '-p', 'lane-b']).code).toBe(1);
    expect(run(['assert', 'held-by', 'Deploy']).code).toBe(1);
  });

  it('an anonymous hold is nobody’s, and a pause all the same', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), '');
    expect(run(['assert', 'paused']).code).toBe(0);
    expect(run(['assert', 'free-of', 'operator']).code).toBe(0);
  });

  it('what has expired does not hold', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), { expires_at: PASSED });
    expect(run(['assert', 'running']).code).toBe(0);
    expect(run(['assert', 'paused']).code).toBe(1);
  });
});

describe('what cannot be read is never a pass: exit 3', () => {
  it.each([
    ['paused', []],
    ['running', []],
    ['held-by', ['operator']],
    ['free-of', ['operator']],
  ])('%s', (claim, holder) => {
    const { json, run, sentinel } = makeFleet('lane-a', 'lane-b');
    spoil(sentinel('lane-a'));
    const { code, stderr } = run(['assert', claim, ...holder, '-p', 'lane-a']);
    expect(code).toBe(3);
    expect(stderr).toContain('lane-a: unknown, counts as held: ');
    const { document } = json(['assert', claim, ...holder]);
    expect(document.holds).toBe(false);
    expect(document.judgements[1]).toMatchObject({ profile: 'lane-a', verdict: 'unreadable' });
  });

  it('although another profile fails for certain', () => {
    const { run, sentinel } = makeFleet('lane-a', 'lane-b');
    spoil(sentinel('lane-a'));
    const { code, stdout } = run(['assert', 'paused', '-p', 'lane-a', '-p', 'lane-b']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/\?{4} +lane-a.*FAIL +lane-b/s);
  });

  it('a profile that may not be entered', () => {
    const { run, folder } = makeFleet('lane-a');
    chmodSync(folder('lane-a'), 0);
    const { code } = run(['assert', 'paused', '-p', 'lane-a'], { ordinary: true });
    chmodSync(folder('lane-a'), 0o755);
    expect(code).toBe(3);
  });

  it('lanes that cannot be listed, even where the root is as claimed', () => {
    const { root, run } = makeFleet();
    spoilProfiles(root);
    expect(run(['assert', 'running']).code).toBe(3);
    run(['pause']);
    expect(run(['assert', 'paused']).code).toBe(3);
  });

  it('a cluster’s copy that cannot be read', () => {
    const { root, run } = makeFleet('lane-a');
    mkdirSync(join(root, 'cluster'));
    spoil(join(root, 'cluster', 'ESTOP'));
    expect(run(['assert', 'running', '-p', 'lane-a']).code).toBe(3);
  });
});
