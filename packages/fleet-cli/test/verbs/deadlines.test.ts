/**
 * `--ttl`, `--until` and `--no-ttl`: which instants they mean, and how the result is told.
 */
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, makeFleet } from '../support/fleet.ts';

describe('--ttl', () => {
  it.each([
    ['45m', 2_700],
    ['90m', 5_400],
    ['2h', 7_200],
    ['1h30m', 5_400],
    ['2d', 172_800],
    ['90', 90],
    [' 45m ', 2_700],
  ])('%j is %d seconds', (ttl, seconds) => {
    const { json } = makeFleet('lane-a');
    const before = Date.now();
    const { document } = json(['pause', '--ttl', ttl]);
    const at = Date.parse(document.results[0].hold.expires_at);
    expect(at).toBeGreaterThanOrEqual(before + seconds * 1000);
    expect(at).toBeLessThanOrEqual(Date.now() + seconds * 1000);
  });

  it.each(['banana', '0', '0m', '-5m', '1.5h', '45M', '1h 30x', '5w', '1e3', '٤٥m', '30m1h'])(
    '%j writes nothing and exits 2',
    (ttl) => {
      const { run, sentinel } = makeFleet('lane-a');
      const { code, stderr } = run(['pause', `--ttl=${ttl}`]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^NOT paused: /);
      expect(exists(sentinel())).toBe(false);
    },
  );

  it.each(['999999999d', '99999999999999999999999d'])(
    '%j is later than any date: armed without a deadline, and said loudly',
    (ttl) => {
      const { json, run, sentinel } = makeFleet('lane-a');
      const { code, stdout, stderr } = run(['pause', '--ttl', ttl]);
      expect(code).toBe(0);
      expect(stdout).toContain('until lifted: ');
      expect(stderr).toContain('NO deadline');
      expect(bodyOf(sentinel()).holds[0]).not.toHaveProperty('expires_at');
      expect(json(['pause', '--ttl', ttl]).document.deadline_beyond_dates).toBe(true);
    },
  );

  it('later than any date, it also clears the deadline that stood', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '--ttl', '1h']);
    run(['pause', '--ttl', '999999999d']);
    expect(bodyOf(sentinel()).holds[0]).not.toHaveProperty('expires_at');
  });
});

describe('--until', () => {
  it.each([
    ['2999-01-01T00:00:00Z', '2999-01-01T00:00:00.000+00:00'],
    ['2999-01-01T00:00:00+02:00', '2998-12-31T22:00:00.000+00:00'],
    ['2999-01-01 00:00 -0130', '2999-01-01T01:30:00.000+00:00'],
    ['2999-01-01T00:00:00.5+00', '2999-01-01T00:00:00.500+00:00'],
  ])('%s stands on disk as %s', (until, stamp) => {
    const { run, sentinel } = makeFleet('lane-a');
    expect(run(['pause', '--until', until]).code).toBe(0);
    expect(bodyOf(sentinel()).holds[0].expires_at).toBe(stamp);
  });

  it('the deadline is told as local time with offset, UTC, and time left', () => {
    const { run } = makeFleet('lane-a');
    const { stdout } = run(['pause', '--until', '2999-07-01T12:00:00Z'], {
      env: { TZ: 'America/New_York' },
    });
    expect(stdout).toMatch(
      /until +2999-07-01 08:00:00 -04:00 = 2999-07-01 12:00:00 UTC \(in \d+d( \d+h)?\)/,
    );
  });

  it('without an offset it is refused, with both readings it could have', () => {
    const { run, sentinel } = makeFleet('lane-a');
    const { code, stderr } = run(['pause', '--until', '2999-07-01T12:00:00'], {
      env: { TZ: 'America/New_York' },
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^NOT paused: /);
    expect(stderr).toContain('2999-07-01 12:00:00 -04:00 = 2999-07-01 16:00:00 UTC (local)');
    expect(stderr).toContain('2999-07-01 08:00:00 -04:00 = 2999-07-01 12:00:00 UTC (UTC)');
    expect(exists(sentinel())).toBe(false);
  });

  it('one already passed is refused', () => {
    const { run, sentinel } = makeFleet('lane-a');
    const { code, stderr } = run(['pause', '--until', '2020-01-01T00:00:00Z']);
    expect(code).toBe(2);
    expect(stderr).toContain('already passed');
    expect(exists(sentinel())).toBe(false);
  });

  it.each([
    'tomorrow',
    '18:00',
    '2999-13-01T00:00:00Z',
    '2999-02-30T00:00:00Z',
    '2999-01-01',
    '2999-01-01T25:00:00Z',
    '2999-01-01T00:00:00+99:00',
    '2999-01-01T00:00:00 CET',
    '1798761600',
  ])('%j is refused', (until) => {
    const { run, sentinel } = makeFleet('lane-a');
    const { code, stderr } = run(['pause', '--until', until]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^NOT paused: /);
    expect(exists(sentinel())).toBe(false);
  });

  it('one that falls out of the years by its offset is armed without a deadline, said loudly', () => {
    const { run, sentinel } = makeFleet('lane-a');
    const { code, stderr } = run(['pause', '--until', '9999-12-31T23:59:59-05:00']);
    expect(code).toBe(0);
    expect(stderr).toContain('NO deadline');
    expect(bodyOf(sentinel()).holds[0]).not.toHaveProperty('expires_at');
  });
});
