/**
 * `fleet resume --staged`: a held fleet comes back in waves, and at no moment is a profile free that has
 * not had its turn. What a kill leaves is `killed.test.ts`.
 */
import { chmodSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  bodyOf,
  type Document,
  exists,
  type Fleet,
  linesOf,
  makeFleet,
  spoilProfiles,
} from '../support/fleet.ts';
import { keyPathsOf } from '../support/key-paths.ts';
import { startFleet } from '../support/live.ts';

/** `nobody`, by convention: a user for whom file modes count. */
const NOBODY = 65_534;
const LANES = ['lane-1', 'lane-2', 'lane-3', 'lane-4', 'lane-5'];
const heldLanes = ({ sentinel }: Fleet): string[] => LANES.filter((lane) => exists(sentinel(lane)));
const staged = (fleet: Fleet, ...words: string[]) =>
  fleet.json(['resume', '--staged', '--every', '1s', ...words]);
const wavesOf = ({ waves }: Document): string[] =>
  waves.map(({ profiles }: Document) => profiles.join(' '));

/** What was done to holds, in its order: `arm lane-1`, `lift (root)`. */
const doneIn = ({ root }: Fleet): string[] =>
  linesOf(join(root, '.fleet', 'journal.ndjson')).map(
    ({ event, profile }) => `${event} ${profile ?? '(root)'}`,
  );

function heldFleet(...words: string[]): Fleet {
  const fleet = makeFleet(...LANES);
  fleet.run(['pause', ...words]);
  return fleet;
}

/** Held by a user for whom file modes count. */
function ordinaryFleet(): Fleet {
  const fleet = makeFleet(...LANES);
  for (const folder of [fleet.root, ...LANES.map(fleet.folder)]) chmodSync(folder, 0o777);
  fleet.run(['pause'], { ordinary: true });
  return fleet;
}

describe('a fleet that is held by its root', () => {
  it('is held lane by lane first, then its root is lifted, then come the waves', () => {
    const fleet = heldFleet('--reason', 'bad deploy');
    const { code, document } = staged(fleet, '--step', '2', '--canary', 'lane-4');
    expect(wavesOf(document)).toEqual(['lane-4', 'lane-1 lane-2', 'lane-3 lane-5']);
    expect(doneIn(fleet)).toEqual([
      'arm (root)',
      ...LANES.map((lane) => `arm ${lane}`),
      'lift (root)',
      ...['lane-4', 'lane-1', 'lane-2', 'lane-3', 'lane-5'].map((lane) => `lift ${lane}`),
    ]);
    expect({ code, held: heldLanes(fleet), root: exists(fleet.sentinel()) }).toEqual({
      code: 0,
      held: [],
      root: false,
    });
  });

  it('tells what comes next while it goes on, and at the end what is running', () => {
    const { run, root } = heldFleet();
    const { code, stdout, stderr } = run(['resume', '--staged', '--step', '50%', '--every', '1s']);
    expect(code).toBe(0);
    expect(stdout).toBe('RESUMED 5 profiles, after 2 of 2 waves: nothing holds them\n');
    expect(stderr.split('\n')).toEqual([
      'your hold of the root is lifted: each of 5 profiles waits for its turn, held by operator/staged',
      'wave 1 of 2: lane-1 is running, lane-2 is running, lane-3 is running',
      '  the next one, in 1s: lane-4, lane-5',
      'wave 2 of 2: lane-4 is running, lane-5 is running',
      '',
    ]);
    expect(run(['status', '--root', root]).stdout).toContain('running');
  });

  it('keeps until their turn the reason and those who may pass, and no deadline', async () => {
    const fleet = heldFleet('--reason', 'bad deploy', '--allow-user', 'anna', '--ttl', '1h');
    const words = ['resume', '--staged', '--step', '1', '--root', fleet.root];
    const live = startFleet(words);
    await live.complains('wave 1 of 5');
    const [hold] = bodyOf(fleet.sentinel('lane-5')).holds;
    expect(hold).toMatchObject({
      holder: 'operator/staged',
      reason: 'bad deploy (waits for its turn)',
      allow: { user_ids: ['anna'] },
    });
    expect(hold.expires_at ?? null).toBe(null);
    live.signal('SIGINT');
    await live.ended;
  });

  it('leaves the holds of others, and one’s own hold of a profile: exit 7', () => {
    const fleet = makeFleet(...LANES);
    fleet.run(['pause', '-p', 'lane-1', '--reason', 'mine, from before']);
    fleet.run(['pause', '-p', 'lane-2', '--as', 'bob']);
    fleet.run(['pause']);
    const { code, document } = staged(fleet, '--step', '100%');
    expect(code).toBe(7);
    expect(heldLanes(fleet)).toEqual(['lane-1', 'lane-2']);
    expect(document.results.filter(({ state }: Document) => state === 'paused')).toEqual([
      { profile: 'lane-1', state: 'paused', holders: ['operator'] },
      { profile: 'lane-2', state: 'paused', holders: ['bob'] },
    ]);
    expect(document.waiting).toEqual([]);
  });

  it('goes on under the hold of somebody else of the root: exit 7', () => {
    const fleet = heldFleet();
    fleet.run(['pause', '--as', 'bob']);
    const { code, document } = staged(fleet, '--step', '100%');
    expect(code).toBe(7);
    expect(document.results[0].holders).toEqual(['bob']);
    expect(heldLanes(fleet)).toEqual([]);
  });

  it('calls resumed only what it has lifted itself and seen free', () => {
    const fleet = heldFleet();
    fleet.run(['pause', '-p', 'lane-5', '--as', 'bob']);
    const some = ['-p', 'lane-1', '-p', 'lane-2', '-p', 'lane-3', '-p', 'lane-4'];
    expect(fleet.run(['resume', '--staged', '--step', '4', ...some]).stdout).toMatch(/^RESUMED 4 /);
    const { code, stdout } = fleet.run(['resume', '--staged', '--continue']);
    expect({ code, stdout }).toEqual({ code: 7, stdout: 'STILL PAUSED lane-5: held by bob\n' });
    const again = fleet.run(['resume', '--staged', '-p', 'lane-1']);
    expect(again).toMatchObject({ code: 0, stdout: 'nothing was held, running: lane-1\n' });
  });

  it('comes back in part where profiles are selected, and names the rest', () => {
    const fleet = heldFleet();
    const { document } = staged(fleet, '-p', 'lane-1', '-p', 'lane-2', '--step', '100%');
    expect(heldLanes(fleet)).toEqual(['lane-3', 'lane-4', 'lane-5']);
    expect(document.waiting).toEqual(['lane-3', 'lane-4', 'lane-5']);
    expect(staged(fleet, '--continue', '--step', '100%').code).toBe(0);
    expect(heldLanes(fleet)).toEqual([]);
  });

  it('comes back label by label', () => {
    const fleet = heldFleet();
    for (const [lane, tier] of [
      ['lane-1', '10'],
      ['lane-2', '9'],
      ['lane-3', '9'],
    ] as const) {
      const yaml = `version: 1\nlabels: {tier: "${tier}"}\n`;
      writeFileSync(join(fleet.folder(lane), 'profile.yaml'), yaml);
    }
    const { document } = staged(fleet, '--by', 'tier', '--step', '2', '--dry-run');
    expect(wavesOf(document)).toEqual(['lane-2 lane-3', 'lane-1', 'lane-4 lane-5']);
  });

  it('takes two profiles that are one folder together', () => {
    const fleet = heldFleet();
    symlinkSync(fleet.folder('lane-5'), fleet.folder('alias'));
    const { code, document } = staged(fleet, '--step', '50%');
    expect(code).toBe(0);
    expect(wavesOf(document)[0]).toBe('alias lane-5 lane-1 lane-2');
  });
});

describe('a staged resume stops, with the rest still held,', () => {
  it('where the command between two waves fails, and prints what goes on', () => {
    const fleet = heldFleet();
    const guard = 'test "$FLEET_WAVE" -lt 2';
    const { code, document } = staged(fleet, '--step', '2', '--abort-if', guard);
    expect(code).toBe(1);
    expect(document).toMatchObject({
      stopped: `\`${guard}\` ended with 1`,
      waiting: ['lane-5'],
      continue_with: `fleet resume --root ${fleet.root} --staged --continue --step 2 --every 1s --abort-if '${guard}'`,
    });
    expect(heldLanes(fleet)).toEqual(['lane-5']);
  });

  it('where a profile cannot be read any more', async () => {
    const fleet = ordinaryFleet();
    const words = ['resume', '--staged', '--step', '1', '--every', '1s', '--root', fleet.root];
    const live = startFleet(words, { uid: NOBODY });
    await live.complains('wave 1 of 5');
    chmodSync(fleet.folder('lane-2'), 0o000);
    expect((await live.ended).code).toBe(3);
    expect(live.stderr()).toMatch(/^NOT all resumed: `lane-2` cannot be read/m);
    chmodSync(fleet.folder('lane-2'), 0o777);
    expect(heldLanes(fleet)).toEqual(['lane-2', 'lane-3', 'lane-4', 'lane-5']);
  });

  it('where the whole fleet is paused again meanwhile, by whomever', async () => {
    const fleet = heldFleet();
    const words = ['resume', '--staged', '--step', '2', '--every', '1s', '--root', fleet.root];
    const live = startFleet(words);
    await live.complains('wave 1 of 3');
    fleet.run(['pause', '--as', 'bob']);
    expect((await live.ended).code).toBe(1);
    expect(live.stderr()).toContain('the whole fleet was paused again, by bob');
    expect(heldLanes(fleet)).toContain('lane-5');
  });

  it('at Ctrl-C, and says who waits and what goes on', async () => {
    const fleet = heldFleet();
    const live = startFleet(['resume', '--staged', '--step', '4', '--root', fleet.root]);
    await live.complains('wave 1 of 2');
    live.signal('SIGINT');
    expect(await live.ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(live.stdout()).toContain('STILL PAUSED, without a turn so far: lane-5\n');
    expect(live.stdout()).toContain(' --staged --continue --step 4 --every 2m\n');
    expect(heldLanes(fleet)).toEqual(['lane-5']);
  });
});

describe('the root is not lifted', () => {
  it('where one profile cannot be held until its turn', () => {
    const fleet = ordinaryFleet();
    chmodSync(fleet.folder('lane-3'), 0o555);
    const words = ['resume', '--staged', '--json'];
    const { code, stdout } = fleet.run(words, { ordinary: true });
    const document = JSON.parse(stdout);
    expect(code).toBe(1);
    expect(document.stopped).toMatch(/^`lane-3` could not be held until its turn: .*root is still/);
    expect(document.continue_with).toContain('--staged --continue');
    expect(exists(fleet.sentinel())).toBe(true);
  });

  it('where a profile cannot be read: it is held now, and nobody knows for how long', () => {
    const fleet = ordinaryFleet();
    chmodSync(fleet.folder('lane-2'), 0o000);
    const { code, stdout } = fleet.run(['resume', '--staged', '--json'], { ordinary: true });
    chmodSync(fleet.folder('lane-2'), 0o777);
    expect(code).toBe(3);
    expect(JSON.parse(stdout).stopped).toMatch(
      /^`lane-2` could not be held until its turn: .*root is/,
    );
    expect(exists(fleet.sentinel())).toBe(true);
  });

  it('where the profiles cannot be listed', () => {
    const fleet = heldFleet();
    spoilProfiles(fleet.root);
    const { code, stderr } = fleet.run(['resume', '--staged']);
    expect(code).toBe(1);
    expect(stderr).toContain('NOT resumed: the profiles cannot be listed');
    expect(exists(fleet.sentinel())).toBe(true);
  });

  it('by a dry run, which writes nothing and shows the waves', () => {
    const fleet = heldFleet();
    const { code, stdout } = fleet.run(['resume', '--staged', '--step', '3', '--dry-run']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'wave 1 of 2: lane-1, lane-2, lane-3\nwave 2 of 2: lane-4, lane-5\n',
    });
    expect({ root: exists(fleet.sentinel()), lanes: heldLanes(fleet) }).toEqual({
      root: true,
      lanes: [],
    });
  });
});

describe('profiles that are held each by itself', () => {
  it('come back in waves, too, and only those that are selected', () => {
    const fleet = makeFleet(...LANES);
    fleet.run(['pause', '--all-profiles']);
    const { code, document } = staged(fleet, '-p', 'lane-1', '-p', 'lane-2', '--step', '1');
    expect(code).toBe(0);
    expect(wavesOf(document)).toEqual(['lane-1', 'lane-2']);
    expect(heldLanes(fleet)).toEqual(['lane-3', 'lane-4', 'lane-5']);
  });
});

describe('what is refused before anything is done', () => {
  it.each([
    [['--step', '3'], '`--step` without `--staged`'],
    [['--continue'], '`--continue` without `--staged`'],
    [['--staged', '--step', '0'], '`--step 0` is no size of a wave'],
    [['--staged', '--step', '101%'], '`--step 101%` is no size of a wave'],
    [['--staged', '--every', 'soon'], '`--every soon` is not a duration'],
    [['--staged', '--canary', 'lane-9'], 'there is no profile `lane-9`'],
    [['--staged', '--wait'], '`--wait` with `--staged`'],
    [['--staged', '--everyone'], '`--everyone` with `--staged`'],
    [['--staged', '--as', 'bob'], '`bob` does not hold the root'],
    [['--staged', '--continue', '--as', 'bob'], 'no profile waits for its turn'],
    [['--staged', '--as', 'b'.repeat(60)], 'is too long for a staged resume'],
  ])('%j', (words, message) => {
    const fleet = heldFleet();
    const { code, stderr } = fleet.run(['resume', ...words]);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(message) });
    expect(heldLanes(fleet)).toEqual([]);
  });

  it('a second one, while profiles of the first wait', () => {
    const fleet = heldFleet();
    staged(fleet, '-p', 'lane-1');
    const { code, stderr } = fleet.run(['resume', '--staged']);
    expect(code).toBe(2);
    expect(stderr).toContain('4 of the profiles wait for their turn');
    expect(stderr).toContain('fleet resume --all-profiles --as operator/staged');
  });
});

it('the document has these keys', () => {
  const fleet = heldFleet();
  expect(keyPathsOf(staged(fleet, '-p', 'lane-1').document)).toEqual([
    'continue_with',
    'dry_run',
    'holder',
    'missed',
    'operation',
    'results',
    'results[].holders',
    'results[].profile',
    'results[].state',
    'root',
    'root_source',
    'schema',
    'stopped',
    'waiting',
    'waves',
    'waves[].at',
    'waves[].profiles',
  ]);
});
