/**
 * The policies of fleet.yaml: what they refuse, and that nothing was written where they do.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, type Fleet, makeFleet, PASSED, place } from '../support/fleet.ts';
import { heldLanes, snapshotOf } from '../support/snapshot.ts';

function governed(policies: string): Fleet {
  const fleet = makeFleet('a', 'b');
  writeFileSync(join(fleet.root, 'fleet.yaml'), `version: 1\npolicies: { ${policies} }\n`);
  return fleet;
}

const STRICT = "require_reason: true, require_ttl_for: ['ci-*'], max_ttl: 8h";
const WHY = ['--reason', 'x'];

const REFUSED: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['a pause without a reason', [], ['require_reason']],
  ['a reason of spaces', ['--reason', '  '], ['require_reason']],
  ['one of a bot without a deadline', [...WHY, '--as', 'ci-7'], ['require_ttl_for']],
  ['one that takes it away', [...WHY, '--as', 'ci-7', '--no-ttl'], ['require_ttl_for']],
  ['both at once', ['--as', 'ci-7'], ['require_reason', 'require_ttl_for']],
  ['a deadline too far away', [...WHY, '--ttl', '8h1s'], ['max_ttl']],
  ['an instant too far away', [...WHY, '--until', '2999-01-01T00:00:00Z'], ['max_ttl']],
  ['a deadline beyond all dates', [...WHY, '--ttl', '99999999999d'], ['max_ttl']],
  [
    'one beyond all dates, which is none, of a bot',
    [...WHY, '--as', 'ci-7', '--ttl', '99999999999d'],
    ['max_ttl', 'require_ttl_for'],
  ],
  ['one lane without a reason', ['-p', 'a'], ['require_reason']],
  ['a dry run of it', ['--dry-run'], ['require_reason']],
];

describe('a violation is refused with exit 2 and "NOT paused", before anything is written', () => {
  it.each(REFUSED)('%s', (_what, words, policies) => {
    const fleet = governed(STRICT);
    const before = snapshotOf(fleet.root);
    const { code, stdout, stderr } = fleet.run(['pause', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT paused: /);
    for (const policy of policies) expect(stderr).toContain(`\`${policy}\``);
    expect(snapshotOf(fleet.root)).toEqual(before);
  });

  it.each([[[]], [['-p', 'a']], [['--dry-run']]] as const)('also by drain %j', (words) => {
    const fleet = governed(STRICT);
    const before = snapshotOf(fleet.root);
    const { code, stdout, stderr } = fleet.run(['drain', '--timeout', '0', ...words]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^NOT drained: .*`require_reason`/s);
    expect(snapshotOf(fleet.root)).toEqual(before);
  });

  it('the hint says what to add', () => {
    const { stderr } = governed(STRICT).run(['pause', '--as', 'ci-7']);
    expect(stderr).toContain('--reason');
    expect(stderr).toContain('--ttl or --until');
  });

  it('one profile’s violation keeps every profile of the call from being paused', () => {
    const fleet = governed(STRICT);
    const old = { id: 'o', holder: 'operator', reason: 'known' };
    place(fleet.sentinel('a'), { generation: 'g', holds: [old] });
    const { code } = fleet.run(['pause', '-p', 'a', '-p', 'b']);
    expect(code).toBe(2);
    expect(heldLanes(fleet)).toEqual(['a']);
    expect(bodyOf(fleet.sentinel('a')).generation).toBe('g');
  });
});

describe('what the policies ask for is let through', () => {
  it.each([
    ['a reason', [...WHY]],
    ['a bot’s deadline', [...WHY, '--as', 'ci-7', '--ttl', '1h']],
    ['the longest deadline there may be', [...WHY, '--ttl', '8h']],
    ['no deadline of an operator: max_ttl asks for none', [...WHY]],
    ['a holder that no pattern means', [...WHY, '--as', 'my-ci-7']],
  ])('%s', (_what, words) => {
    const fleet = governed(STRICT);
    expect(fleet.run(['pause', ...words])).toMatchObject({ code: 0, stderr: '' });
    expect(exists(fleet.sentinel())).toBe(true);
  });

  it('pausing again keeps reason and deadline, so they need not be said again', () => {
    const fleet = governed(STRICT);
    fleet.run(['pause', ...WHY, '--as', 'ci-7', '--ttl', '1h']);
    expect(fleet.run(['pause', '--as', 'ci-7', '--allow-user', 'u1']).code).toBe(0);
    expect(fleet.run(['pause', '--as', 'ci-7', '--no-ttl']).code).toBe(2);
  });

  it('a deadline that is kept was nobody’s choice today, however far away it is', () => {
    const fleet = governed('max_ttl: 1h');
    const until = '2999-01-01T00:00:00+00:00';
    const old = { id: 'o', holder: 'operator', expires_at: until };
    place(fleet.sentinel(), { generation: 'g', expires_at: until, holds: [old] });
    expect(fleet.run(['pause', '--reason', 'still']).code).toBe(0);
  });

  it('what an expired hold said is no reason', () => {
    const fleet = governed('require_reason: true');
    const old = { id: 'o', holder: 'operator', reason: 'old', expires_at: PASSED };
    place(fleet.sentinel(), { generation: 'g', expires_at: PASSED, holds: [old] });
    expect(fleet.run(['pause']).code).toBe(2);
  });

  it('somebody else’s reason is not one’s own', () => {
    const fleet = governed('require_reason: true');
    fleet.run(['pause', '--as', 'sre', '--reason', 'theirs']);
    expect(fleet.run(['pause']).code).toBe(2);
  });

  it('a resume, and what only reads, is bound by none', () => {
    const fleet = governed(STRICT);
    fleet.run(['pause', ...WHY]);
    expect(fleet.run(['status']).code).toBe(0);
    expect(fleet.run(['resume']).code).toBe(0);
  });
});

describe('extend', () => {
  it('is bound by max_ttl, counted from now, and by nothing else', () => {
    const fleet = governed(STRICT);
    fleet.run(['pause', ...WHY, '--ttl', '1h']);
    const { code, stderr } = fleet.run(['extend', '--ttl', '9h']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^NOT extended: .*`max_ttl`/);
    expect(fleet.run(['extend', '--ttl', '8h']).code).toBe(0);
  });

  it('moves the deadline of a hold without a reason, which was placed before there was a policy', () => {
    const fleet = governed('require_reason: true');
    const old = { id: 'o', holder: 'operator' };
    place(fleet.sentinel(), { generation: 'g', holds: [old] });
    expect(fleet.run(['extend', '--ttl', '1h', '--shorten']).code).toBe(0);
  });
});

describe('window', () => {
  it('needs a reason of its own where one is required, and does not run the command without', () => {
    const fleet = governed('require_reason: true');
    const refused = fleet.run(['window', '--', 'echo', 'ran']);
    expect(refused).toMatchObject({ code: 125, stdout: '' });
    expect(refused.stderr).toMatch(/^NOT run: .*`require_reason`/);
    const done = fleet.run(['window', ...WHY, '--', 'echo', 'ran']);
    expect(done).toMatchObject({ code: 0, stdout: 'ran\n' });
  });

  it('may not outlive a kill for longer than max_ttl', () => {
    const fleet = governed('max_ttl: 10m');
    expect(fleet.run(['window', '--ttl', '11m', '--', 'true']).code).toBe(125);
    expect(fleet.run(['window', '--ttl', '10m', '--', 'true']).code).toBe(0);
    expect(heldLanes(fleet)).toEqual([]);
  });
});
