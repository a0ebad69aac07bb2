/**
 * Pausing again: what stood before is said beside what stands now, and loudly where it holds less.
 */
import { describe, expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';

const as = (USER: string) => ({ env: { USER } });

describe('pausing again says what it replaces', () => {
  it('reason, deadline and who may pass, before and after', () => {
    const { run } = makeFleet('lane-a');
    run(['pause', '--reason', 'runaway', '--allow-user', 'u1']);
    const { stdout } = run(['pause', '--reason', 'deploy', '--ttl', '30m', '--allow-user', 'u2']);
    expect(stdout).toContain('PAUSED again');
    expect(stdout).toMatch(/had reason +runaway\n/);
    expect(stdout).toMatch(/was until +none: stands until lifted\n/);
    expect(stdout).toMatch(/could pass +u1\n/);
  });

  it('a nearer end is a warning', () => {
    const { run } = makeFleet('lane-a');
    run(['pause']);
    const nearer = run(['pause', '--ttl', '30m']).stderr;
    expect(nearer).toMatch(
      /^warning: the hold on the whole fleet ENDS EARLIER: until lifted before, until .* now$/m,
    );
    expect(run(['pause', '--ttl', '10m']).stderr).toMatch(
      /^warning: .* ENDS EARLIER: until .* UTC before/m,
    );
    expect(run(['pause', '--ttl', '2h']).stderr).toBe('');
  });

  it.each([
    ['a user more', ['--allow-user', 'u1'], ['--allow-user', 'u1', '--allow-user', 'u2'], 'u2'],
    ['a user at all', [], ['--allow-user', 'u1'], 'u1'],
    [
      'every profile instead of one',
      ['--allow-user', 'u1', '--allow-profile', 'lane-a'],
      ['--allow-user', 'u1'],
      'u1',
    ],
  ])('%s in the allowlist is a warning', (_what, before, after, who) => {
    const { run } = makeFleet('lane-a');
    run(['pause', ...before]);
    expect(run(['pause', ...after]).stderr).toMatch(
      new RegExp(`^warning: the hold on the whole fleet LETS MORE PASS than before: ${who}$`, 'm'),
    );
  });

  it('a narrower allowlist and a later end are no such warning', () => {
    const { run } = makeFleet('lane-a');
    run(['pause', '--ttl', '1h', '--allow-user', 'u1', '--allow-user', 'u2']);
    const { stderr } = run(['pause', '--no-ttl', '--allow-user', 'u1']);
    expect(stderr).not.toMatch(/EARLIER|MORE/);
  });

  it('what somebody else placed under the same name is a warning', () => {
    const { run } = makeFleet('lane-a');
    run(['pause', '--as', 'deploy', '--reason', 'a'], as('alice'));
    expect(run(['pause', '--as', 'deploy', '--reason', 'b'], as('bob')).stderr).toMatch(
      /^warning: the hold of `deploy` that this replaces was placed by alice on .*, not by bob$/m,
    );
  });

  it('as JSON: the hold that was replaced, whether it ended later, and who passes more', () => {
    const { json } = makeFleet('lane-a');
    const [first] = json(['pause', '--reason', 'a'], as('alice')).document.results;
    expect(first).toMatchObject({ replaced_hold: null, ends_earlier: false, more_may_pass: null });
    const words = ['pause', '--ttl', '1h', '--allow-user', 'u1'];
    const [second] = json(words, as('bob')).document.results;
    expect(second).toMatchObject({
      replaced: first.hold.id,
      replaced_hold: { id: first.hold.id, reason: 'a', expires_at: null, allow: null },
      replaced_of_another: true,
      ends_earlier: true,
      more_may_pass: { user_ids: ['u1'], profiles: null },
    });
  });

  it('a hold that ended a moment ago did not end later', async () => {
    const { json, sentinel } = makeFleet('lane-a');
    const { place, inSeconds } = await import('../support/fleet.ts');
    const old = { id: 'o', holder: 'operator', reason: 'old', expires_at: inSeconds(-0.2) };
    place(sentinel(), { generation: 'g', expires_at: old.expires_at, holds: [old] });
    const [result] = json(['pause', '--ttl', '1h']).document.results;
    expect(result).toMatchObject({ replaced: 'o', ends_earlier: false });
    expect(result.replaced_hold.expires_at).toBe(old.expires_at);
  });
});
