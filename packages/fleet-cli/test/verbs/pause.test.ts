import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  everythingBelow,
  exists,
  inSeconds,
  makeFleet,
  PASSED,
  place,
  spoilProfiles,
} from '../support/fleet.ts';

describe('what pause says when it is done', () => {
  it('root, sentinel, holder, hold, reason, deadline, who may pass, cover, and how to lift it', () => {
    const { root, run, sentinel } = makeFleet('lane-a', 'lane-b');
    const { code, stdout, stderr } = run(['pause', '-v', '--reason', 'bad deploy']);
    const [hold] = bodyOf(sentinel()).holds;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'PAUSED the whole fleet',
      `  root       ${root} (--root)`,
      `  sentinel   ${sentinel()}`,
      '  holder     operator',
      `  hold       ${hold.id}`,
      expect.stringMatching(/^ {2}operation {2}op-[0-9a-f]{12}$/),
      '  reason     bad deploy',
      '  until      none: stands until lifted',
      '  may pass   nobody',
      "  covers     2 profiles, and the root's own profile `default`",
      `  lift with  fleet resume --root ${root}`,
      '',
    ]);
  });

  it('the command it gives lifts exactly that hold, whatever characters the path has', () => {
    const { run } = makeFleet('lane-a');
    const { stdout } = run(['pause', '-p', 'lane-a', '--as', "o'brien & -co"]);
    expect(stdout).toMatch(/lift with +fleet resume --root \S+ -p lane-a --as 'o'\\''brien & -co'/);
  });

  it('as JSON: one document with the same facts', () => {
    const { root, json, sentinel } = makeFleet('lane-a');
    const { code, document } = json(['pause', '--reason', 'x', '--allow-user', 'u1']);
    const body = bodyOf(sentinel());
    expect(code).toBe(0);
    expect(document).toMatchObject({
      schema: 'fleet/pause/v1',
      root,
      root_source: '--root',
      skipped: [],
      deadline_beyond_dates: false,
      results: [
        {
          kind: 'root',
          profile: null,
          sentinel: sentinel(),
          covers: ['lane-a'],
          armed: true,
          engaged: true,
          why: null,
          replaced: null,
          degraded: null,
          generation: body.generation,
          hold: {
            id: body.holds[0].id,
            holder: 'operator',
            reason: 'x',
            expires_at: null,
            seconds_left: null,
            allow: { user_ids: ['u1'], profiles: null },
            actor: { user: 'tester', via: 'fleet pause' },
          },
          may_pass: { user_ids: ['u1'], profiles: null },
        },
      ],
    });
  });

  it('a fleet without profiles is paused, with a warning that nobody is covered', () => {
    const { run, sentinel } = makeFleet();
    const { code, stdout, stderr } = run(['pause']);
    expect(code).toBe(0);
    expect(stdout).toContain('the whole fleet (0 profiles)');
    expect(stderr).toContain('no profile is covered');
    expect(exists(sentinel())).toBe(true);
  });

  it('profiles that cannot be listed are covered all the same, and that is said', () => {
    const { root, run } = makeFleet();
    spoilProfiles(root);
    const { code, stdout, stderr } = run(['pause', '-v']);
    expect(code).toBe(0);
    expect(stdout).toContain('how many there are cannot be read');
    expect(stderr).toContain('ENOTDIR');
  });
});

describe('the scope of a pause', () => {
  it('without -p it is the root alone', () => {
    const { root, run } = makeFleet('lane-a');
    run(['pause']);
    expect(everythingBelow(root).filter((path) => path.endsWith('ESTOP'))).toEqual(['ESTOP']);
  });

  it('with -p it is those profiles and never the root', () => {
    const { root, run } = makeFleet('lane-a', 'lane-b', 'lane-c');
    const { code, stdout } = run(['pause', '-p', 'lane-a', '-p', 'lane-c']);
    expect(code).toBe(0);
    expect(stdout).toContain('PAUSED lane-a');
    expect(stdout).toContain('PAUSED lane-c');
    expect(everythingBelow(root).filter((path) => path.endsWith('ESTOP'))).toEqual([
      'profiles/lane-a/ESTOP',
      'profiles/lane-c/ESTOP',
    ]);
  });

  it('the profile `default` alone is refused, with the explanation that its sentinel is the fleet’s', () => {
    const { root, run } = makeFleet('lane-a');
    writeFileSync(join(root, 'profile.yaml'), '');
    const { code, stderr } = run(['pause', '-p', 'default']);
    expect(code).toBe(2);
    expect(stderr).toContain("its sentinel is the fleet's");
  });

  it('an absent profile is skipped with --allow-missing, and that is said', () => {
    const { run, sentinel } = makeFleet('lane-a');
    const { code, stdout } = run(['pause', '-p', 'gone', '-p', 'lane-a', '--allow-missing']);
    expect(code).toBe(0);
    expect(stdout).toContain('skipped gone');
    expect(exists(sentinel('lane-a'))).toBe(true);
    const nothing = run(['pause', '-p', 'gone', '--allow-missing']);
    expect(nothing.code).toBe(0);
    expect(nothing.stderr).toContain('nothing was paused');
  });

  it('a link that leads nowhere is no profile, and says so', () => {
    const { run, folder } = makeFleet('lane-a');
    symlinkSync('gone', folder('broken'));
    const { code, stderr } = run(['pause', '-p', 'broken', '--allow-missing']);
    expect(code).toBe(2);
    expect(stderr).toContain('leads nowhere');
  });

  it('a link to the root is no profile: pausing it would pause everything', () => {
    const { root, run, folder, sentinel } = makeFleet('lane-a');
    symlinkSync(root, folder('all'));
    expect(run(['pause', '-p', 'all']).code).toBe(2);
    expect(exists(sentinel())).toBe(false);
  });

  it('profiles that share a folder by a link are paused together, and that is said', () => {
    const { json, run, folder } = makeFleet('lane-a');
    symlinkSync('lane-a', folder('lane-b'));
    expect(run(['pause', '-p', 'lane-b']).stdout).toMatch(/lane-b \(and by a link .* lane-a\)/);
    expect(run(['pause', '-p', 'lane-b', '-v']).stdout).toMatch(/covers +lane-b, and .* lane-a/);
    expect(json(['pause', '-p', 'lane-a']).document.results[0].covers).toEqual([
      'lane-a',
      'lane-b',
    ]);
  });
});

describe('pausing again', () => {
  it('keeps reason, deadline and allowlist unless they are given', () => {
    const { json, run } = makeFleet('lane-a');
    const first = json(['pause', '--reason', 'a', '--ttl', '1h', '--allow-user', 'u1']).document;
    const { document } = json(['pause', '--reason', 'b']);
    const [before, after] = [first.results[0].hold, document.results[0].hold];
    expect(after).toMatchObject({
      reason: 'b',
      expires_at: before.expires_at,
      allow: before.allow,
    });
    expect(document.results[0].replaced).toBe(before.id);
    expect(run(['pause', '--reason', 'c']).stdout).toContain('PAUSED again');
  });

  it('--no-ttl and --no-allow clear them', () => {
    const { json } = makeFleet('lane-a');
    json(['pause', '--ttl', '1h', '--allow-user', 'u1']);
    const { document } = json(['pause', '--no-ttl', '--no-allow']);
    expect(document.results[0].hold).toMatchObject({ expires_at: null, allow: null });
  });

  it('--allow-user replaces the allowlist, and says who could pass before and cannot now', () => {
    const { json, run } = makeFleet('lane-a');
    run(['pause', '--allow-user', 'u1', '--allow-user', 'u2']);
    const { stdout, stderr } = run(['pause', '--allow-user', 'u2']);
    expect(stdout).toMatch(/, u2 may pass: /);
    expect(stderr).toContain('could pass here before this pause, and cannot pass now: u1');
    expect(json(['pause', '--allow-user', 'u3']).document.results[0].no_longer_passes).toEqual({
      user_ids: ['u2'],
      profiles: null,
    });
  });

  it('under another name stands beside, and names what stands already', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '--reason', 'first']);
    const { stdout } = run(['pause', '--as', 'deploy', '--reason', 'second']);
    expect(stdout).toMatch(/also held +\(root\) by operator: first/);
    expect(bodyOf(sentinel()).holds.map((hold: { holder: string }) => hold.holder)).toEqual([
      'operator',
      'deploy',
    ]);
  });

  it('beside an open anonymous hold it says whom it shuts out', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), { reason: 'older tool', allow: { user_ids: ['u1'] } });
    const { code, stderr } = run(['pause']);
    expect(code).toBe(0);
    expect(stderr).toContain('could pass here before this pause, and cannot pass now: u1');
  });

  it('beside an open hold, a new hold that is as open shuts nobody out and says nothing', () => {
    const { run, sentinel } = makeFleet('lane-a');
    place(sentinel(), { allow: { user_ids: ['u1'] } });
    expect(run(['pause', '--allow-user', 'u1', '--allow-user', 'u2']).stderr).toBe('');
  });

  it('over an expired hold it does not inherit the deadline', () => {
    const { json, sentinel } = makeFleet('lane-a');
    const old = { id: 'o', holder: 'operator', reason: 'old', expires_at: PASSED };
    place(sentinel(), { generation: 'g', expires_at: PASSED, holds: [old] });
    expect(json(['pause']).document.results[0].hold).toMatchObject({
      expires_at: null,
      reason: null,
    });
  });

  it('a profile narrows a user, and is shown as such', () => {
    const { run } = makeFleet('lane-a');
    const words = ['pause', '--allow-user', 'u1', '--allow-profile', 'lane-a'];
    expect(run(words).stdout).toMatch(/, u1 on lane-a may pass: /);
  });
});

describe('compare and set', () => {
  it('--if-generation none arms only where nothing holds, and loses with exit 6', () => {
    const { run, sentinel } = makeFleet('lane-a');
    expect(run(['pause', '--if-generation', 'none', '--reason', 'a']).code).toBe(0);
    const before = bodyOf(sentinel());
    const { code, stderr } = run(['pause', '--if-generation', 'none', '--as', 'b']);
    expect(code).toBe(6);
    expect(stderr).toContain('somebody else wrote first');
    expect(bodyOf(sentinel())).toEqual(before);
  });

  it('--if-generation G arms only over G', () => {
    const { json, run } = makeFleet('lane-a');
    const { generation } = json(['pause']).document.results[0];
    expect(run(['pause', '--if-generation', generation, '--reason', 'b']).code).toBe(0);
    expect(run(['pause', '--if-generation', generation, '--reason', 'c']).code).toBe(6);
  });

  it('several scopes with `none`: one that is taken does not keep the others from being paused', () => {
    const { json, run, sentinel } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '--as', 'other']);
    const words = ['pause', '--if-generation', 'none', '-p', 'lane-a', '-p', 'lane-b'];
    const { code, document } = json(words);
    expect(code).toBe(6);
    expect(document.results.map((r: { armed: boolean }) => r.armed)).toEqual([false, true]);
    expect(exists(sentinel('lane-b'))).toBe(true);
  });
});

describe('a hold that could not be placed', () => {
  it('in a folder that may not be written: "NOT paused", exit 1, and nothing of it anywhere', () => {
    const { root, run } = makeFleet('lane-a');
    chmodSync(root, 0o555);
    const { code, stdout, stderr } = run(['pause'], { ordinary: true });
    chmodSync(root, 0o755);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^NOT paused: the whole fleet: .*\(EACCES\)/);
    expect(exists(join(root, 'ESTOP'))).toBe(false);
  });

  it('where others hold already it says so, and still exits 1', () => {
    const { root, json, run } = makeFleet('lane-a');
    run(['pause', '--as', 'other', '--reason', 'theirs']);
    chmodSync(root, 0o555);
    const { code, stderr } = run(['pause'], { ordinary: true });
    const asJson = json(['pause'], { ordinary: true });
    chmodSync(root, 0o755);
    expect(code).toBe(1);
    expect(stderr).toMatch(/^NOT paused by you: /);
    expect(stderr).toContain('other: theirs');
    expect(asJson.code).toBe(1);
    expect(asJson.document.results[0]).toMatchObject({ armed: false, engaged: true, hold: null });
  });

  it('of several scopes, those that can be paused are, and the exit code is 1', () => {
    const { run, folder, sentinel } = makeFleet('lane-a', 'lane-b');
    chmodSync(folder('lane-a'), 0o555);
    chmodSync(folder('lane-b'), 0o777);
    const { code, stdout, stderr } = run(['pause', '-p', 'lane-a', '-p', 'lane-b'], {
      ordinary: true,
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^NOT paused: lane-a/);
    expect(stdout).toContain('PAUSED lane-b');
    expect(exists(sentinel('lane-b'))).toBe(true);
  });

  it('a journal that cannot be written is said, and changes nothing else', () => {
    const { root, run, sentinel } = makeFleet('lane-a');
    writeFileSync(join(root, '.fleet'), 'in the way');
    const { code, stderr } = run(['pause']);
    expect(code).toBe(0);
    expect(stderr).toContain('not recorded in the journal');
    expect(exists(sentinel())).toBe(true);
  });
});

describe('limits', () => {
  it('eight holders with 9 KB reasons stay in one file, every deadline intact', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    const deadlines: string[] = [];
    for (let at = 0; at < 8; at++) {
      const words = ['pause', '--as', `holder-${at}`, '--reason', `${at}`.repeat(9_000)];
      const { code, document } = json([...words, '--ttl', `${at + 1}h`]);
      expect(code).toBe(0);
      expect(document.results[0].reason_shortened).toBe(true);
      deadlines.push(document.results[0].hold.expires_at);
    }
    const { holds } = bodyOf(sentinel());
    expect(holds.map((hold: { expires_at: string }) => hold.expires_at)).toEqual(deadlines);
    expect(run(['status']).code).toBe(0);
    expect(run(['pause', '--as', 'holder-0', '--reason', 'x'.repeat(2_000)]).stderr).toContain(
      'shortened',
    );
  });

  it('a deadline of the future is told with the time that is left', () => {
    const { json } = makeFleet('lane-a');
    const { hold } = json(['pause', '--until', inSeconds(3_600)]).document.results[0];
    expect(hold.seconds_left).toBeGreaterThan(3_500);
    expect(hold.seconds_left).toBeLessThanOrEqual(3_600);
  });
});
