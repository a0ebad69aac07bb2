/**
 * `--dry-run`: nothing is written anywhere, and what it says is what is then done.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  type Document,
  exists,
  type Fleet,
  inSeconds,
  makeFleet,
  PASSED,
  place,
} from '../support/fleet.ts';
import { labelledFleet, snapshotOf } from '../support/snapshot.ts';

const LATER = inSeconds(3_600);
const hold = (holder: string, more: object = {}) => ({ id: `of-${holder}`, holder, ...more });

/** What stands before, by its name. */
const SITUATIONS: Readonly<Record<string, (fleet: Fleet) => void>> = {
  'nothing holds': () => {},
  'an empty file holds': ({ sentinel }) => place(sentinel(), ''),
  'a torn file holds': ({ sentinel }) => place(sentinel(), '{"holds": ['),
  'an older tool holds': ({ sentinel }) =>
    place(sentinel(), { reason: 'old', allow: { user_ids: ['u1'] } }),
  'one’s own hold': ({ sentinel }) =>
    place(sentinel(), {
      generation: 'g',
      expires_at: LATER,
      holds: [hold('operator', { reason: 'mine', expires_at: LATER, allow: { user_ids: ['u1'] } })],
    }),
  'two holders': ({ sentinel }) =>
    place(sentinel(), { generation: 'g', holds: [hold('sre'), hold('operator')] }),
  'another’s hold': ({ sentinel }) => place(sentinel(), { generation: 'g', holds: [hold('sre')] }),
  'an expired hold': ({ sentinel }) =>
    place(sentinel(), {
      generation: 'g',
      expires_at: PASSED,
      holds: [hold('operator', { expires_at: PASSED })],
    }),
  'a folder in its place': ({ sentinel }) => void mkdirSync(sentinel()),
  'a full folder in its place': ({ sentinel }) =>
    mkdirSync(join(sentinel(), 'x'), { recursive: true }),
  'a FIFO in its place': ({ sentinel }) => void spawnSync('mkfifo', [sentinel()]),
  'a dangling link in its place': ({ sentinel }) => symlinkSync('nowhere', sentinel()),
  'a file with a second name': ({ root, sentinel }) => {
    place(sentinel(), { generation: 'g', holds: [hold('operator')] });
    linkSync(sentinel(), join(root, 'backup'));
  },
  'what a dead process left': ({ root, sentinel }) => {
    const tenure = join(root, '.ESTOP.txn', 'gone.999999999.x.0');
    mkdirSync(tenure, { recursive: true });
    place(join(tenure, 'claimed:gone.999999999.x.0'), { generation: 'c', holds: [hold('sre')] });
    place(sentinel(), { generation: 'g', holds: [hold('operator')] });
  },
  'a hold in a lane only': ({ sentinel }) =>
    place(sentinel('a'), { generation: 'g', holds: [hold('operator')] }),
};

const CALLS: readonly (readonly string[])[] = [
  ['pause', '--reason', 'x', '--ttl', '2h'],
  ['pause', '--as', 'deploy', '--allow-user', 'u1'],
  ['pause', '--if-generation', 'none'],
  ['pause', '-p', 'a', '-p', 'b'],
  ['resume'],
  ['resume', '--everyone'],
  ['extend', '--ttl', '2h'],
];

const UNSTEADY: ReadonlySet<string> = new Set([
  'dry_run',
  'operation',
  'seconds_left',
  'pid',
  'uptime_ms',
  'wall_ms',
]);

/** Without what two calls never share: ids, generations, inodes, moments and process ids. */
function steady(value: Document, key = ''): unknown {
  if (key === 'body' && typeof value === 'string' && value !== '') return steady(JSON.parse(value));
  if (UNSTEADY.has(key)) return null;
  if (typeof value === 'string') {
    return value
      .replace(/^\w+\.\d+\.\w+\.\d+$/, 'TOKEN')
      .replace(/^2\d{3}-\d\d-\d\dT.*$/, (text) => (text === PASSED ? text : 'MOMENT'));
  }
  if (Array.isArray(value)) return value.map((item) => steady(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, steady(inner, name)]),
  );
}

/** The text of the sentinel in the folder of a result; null: it is no file that says something. */
function bodyAt({ sentinel }: { sentinel: string }): Document {
  // A FIFO would be waited for.
  if (lstatSync(sentinel, { throwIfNoEntry: false })?.isFile() !== true) return null;
  try {
    return bodyOf(sentinel);
  } catch {
    return null;
  }
}

describe.each(Object.entries(SITUATIONS))('where %s', (_name, prepare) => {
  it.each(CALLS.map((words) => [words.join(' '), words] as const))(
    '%s: a dry run writes nothing, and foretells what is then done',
    (_line, words) => {
      const fleet = makeFleet('a', 'b');
      prepare(fleet);
      const before = snapshotOf(fleet.root);
      const dry = fleet.json([...words, '--dry-run']);
      expect(snapshotOf(fleet.root)).toEqual(before);
      const done = fleet.json(words);
      expect(dry.document.dry_run).toBe(true);
      expect(done.document.dry_run).toBe(false);
      expect(dry.code).toBe(done.code);
      const bodies = dry.document.results.map(({ body }: { body: string | null }) => body);
      for (const result of dry.document.results) result.body = null;
      expect(steady(dry.document)).toEqual(steady(done.document));
      done.document.results.forEach((result: { sentinel: string }, at: number) => {
        const stands = bodyAt(result);
        if (stands !== null) expect(steady(JSON.parse(bodies[at]))).toEqual(steady(stands));
        else if (!exists(result.sentinel)) expect(bodies[at]).toBeNull();
      });
    },
  );
});

describe.each(Object.entries(SITUATIONS))('draining where %s', (_name, prepare) => {
  it.each([[[]], [['-p', 'a', '-p', 'b']]] as const)(
    'a dry run writes nothing, and foretells which holds would be placed: %j',
    (selected) => {
      const fleet = makeFleet('a', 'b');
      prepare(fleet);
      const before = snapshotOf(fleet.root);
      const words = ['drain', ...selected, '--reason', 'x', '--ttl', '2h', '--timeout', '0'];
      const dry = fleet.json([...words, '--dry-run']).document;
      expect(snapshotOf(fleet.root)).toEqual(before);
      const done = fleet.json(words).document;
      expect(dry).toMatchObject({ dry_run: true, drain: null });
      expect(done.dry_run).toBe(false);
      for (const result of dry.results) result.body = null;
      expect(steady(dry.results)).toEqual(steady(done.results));
      expect(steady(dry.standing)).toEqual(steady(done.standing));
    },
  );
});

describe('what a dry run says', () => {
  it('of a drain: what would be paused and what is; nobody waits for work in hand', () => {
    const { run, sentinel } = makeFleet('a', 'b');
    run(['pause', '-p', 'a', '--reason', 'mine']);
    const { code, stdout, stderr } = run(['drain', '-p', 'a', '-p', 'b', '--dry-run']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^DRY RUN: nothing was written/);
    expect(stdout).toContain('WOULD BE PAUSED b');
    expect(stdout).toContain('ALREADY PAUSED a, so no hold was placed: operator: mine [a]');
    expect(exists(sentinel('b'))).toBe(false);
  });

  it('that it is one, what would be written, and whom it would cover', () => {
    const { run, sentinel } = makeFleet('a', 'b');
    const { code, stdout, stderr } = run(['pause', '--reason', 'bad deploy', '--dry-run']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^DRY RUN: nothing was written/);
    expect(stdout).toContain('WOULD BE PAUSED the whole fleet');
    expect(stdout).toMatch(/covers +2 profiles: a, b, and the root's own profile `default`\n/);
    const body = JSON.parse(/body +(\{.*\})\n/.exec(stdout)?.[1] ?? '');
    expect(body).toMatchObject({ reason: 'bad deploy', holds: [{ holder: 'operator' }] });
    expect(exists(sentinel())).toBe(false);
  });

  it('which holds would go, and what would hold all the same', () => {
    const { run } = makeFleet('a');
    run(['pause', '--reason', 'mine']);
    run(['pause', '--as', 'sre', '--reason', 'theirs']);
    const { code, stdout, stderr } = run(['resume', '--dry-run']);
    expect(code).toBe(7);
    expect(stdout).toContain('WOULD STILL BE PAUSED the root');
    expect(stdout).toMatch(/lifted +operator: mine/);
    expect(stdout).toMatch(/held in +\(root\) by sre: theirs/);
    expect(stderr).toMatch(/^DRY RUN: nothing was written/);
    expect(run(['assert', 'held-by', 'operator']).code).toBe(0);
  });

  it('no journal line is written', () => {
    const { root, run } = makeFleet('a');
    run(['pause', '--dry-run']);
    expect(exists(join(root, '.fleet'))).toBe(false);
  });

  it('a selection by labels is tried in each of its profiles', () => {
    const fleet = labelledFleet({ a: { tier: 'x' }, b: { tier: 'x' }, c: null });
    const before = snapshotOf(fleet.root);
    const { document } = fleet.json(['pause', '-l', 'tier=x', '--dry-run']);
    expect(document.results.map(({ covers }: Document) => covers)).toEqual([['a'], ['b']]);
    expect(snapshotOf(fleet.root)).toEqual(before);
  });

  it('profiles that share a folder by a link are one', () => {
    const fleet = makeFleet('a');
    symlinkSync('a', fleet.folder('b'));
    const words = ['pause', '-p', 'a', '-p', 'b'];
    const dry = fleet.json([...words, '--dry-run']).document;
    expect(dry.results[1]).toMatchObject({
      already_held: true,
      hold: { id: dry.results[0].hold.id },
    });
  });

  it('a folder that this user may not write is reported, and nothing else is promised', () => {
    const fleet = makeFleet('a', 'b');
    chmodSync(fleet.folder('b'), 0o777);
    const words = ['pause', '-p', 'a', '-p', 'b'];
    const dry = fleet.run([...words, '--dry-run'], { ordinary: true });
    expect(dry.code).toBe(1);
    expect(dry.stderr).toContain('NOT paused: a: this user may not write there (EACCES)');
    expect(dry.stdout).toContain('WOULD BE PAUSED b');
    expect(fleet.run(words, { ordinary: true }).code).toBe(1);
  });

  it('is refused where the call would be: unknown profiles, mistaken words, broken selections', () => {
    const { run, root } = makeFleet('a');
    writeFileSync(join(root, 'note'), '');
    for (const words of [
      ['-p', 'nope'],
      ['--ttl', 'soon'],
      ['-l', 'x=y'],
      ['-p', 'default'],
    ]) {
      const { code, stdout, stderr } = run(['pause', '--dry-run', ...words]);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^NOT paused: /);
    }
  });

  it('--quiet prints nothing, and the status tells', () => {
    const { run } = makeFleet('a');
    expect(run(['pause', '--dry-run', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});
