/**
 * Every beginning that the journal tells of has an end: `history` names those that no line tells of,
 * `explain` and `doctor` those that stand again.
 */
import { appendFileSync, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examine } from '../doctor/fleets.ts';
import { type Document, type Fleet, inSeconds, linesOf, makeFleet } from '../support/fleet.ts';

const journalOf = ({ root }: Fleet): string => join(root, '.fleet', 'journal.ndjson');

/** As a pause a while ago would have written it. */
function began(fleet: Fleet, hold: object, agoS = 3600): void {
  const line = {
    at: inSeconds(-agoS),
    event: 'arm',
    scope: fleet.folder('lane-a'),
    profile: 'lane-a',
    holds: [{ id: 'h1', holder: 'anna', reason: 'deploy', expires_at: null, ...hold }],
    generation: null,
    actor: { user: 'anna', host: 'h', pid: 1, via: 'fleet pause' },
  };
  fleet.run(['pause', '-p', 'lane-a', '--as', 'other']);
  appendFileSync(journalOf(fleet), `${JSON.stringify(line)}\n`);
}

describe('history', () => {
  it('tells of a hold that expired while another stood and no watcher ran, where it belongs', () => {
    const fleet = makeFleet('lane-a');
    began(fleet, { expires_at: inSeconds(-1800) });
    fleet.run(['resume', '-p', 'lane-a', '--as', 'other']);
    const { stdout } = fleet.run(['history']);
    expect(stdout).toMatch(/ expire +lane-a +anna +deploy +its deadline$/m);
    const { document } = fleet.json(['history']);
    const events = document.records.map(({ event }: Document) => event);
    expect(events).toContain('expire');
    expect(document.vanished).toEqual([]);
  });

  it('tells of a copy in another profile that is gone, though the original was lifted', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    fleet.run(['pause', '-p', 'lane-a']);
    const [{ holds }] = fleet.json(['history']).document.records;
    const seen = { event: 'foreign-arm', scope: fleet.folder('lane-b'), profile: 'lane-b', holds };
    const line = { ...seen, at: inSeconds(0), generation: null, actor: null };
    appendFileSync(journalOf(fleet), `${JSON.stringify(line)}\n`);
    fleet.run(['resume', '-p', 'lane-a']);
    const { vanished } = fleet.json(['history']).document;
    expect(vanished.map(({ profile }: Document) => profile)).toEqual(['lane-b']);
  });

  it('tells no end of one that stands, and none twice', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '-p', 'lane-a', '--ttl', '1h']);
    expect(fleet.json(['history']).document).toMatchObject({
      records: [{ event: 'arm' }],
      vanished: [],
    });
    fleet.run(['resume', '-p', 'lane-a']);
    expect(fleet.json(['history']).document.records).toHaveLength(2);
  });

  it('names a hold that is gone and of whose end there is no line', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '-p', 'lane-a', '--as', 'anna']);
    rmSync(fleet.sentinel('lane-a'));
    const { stdout } = fleet.run(['history']);
    expect(stdout).toMatch(
      /^gone, and the journal does not say how: the hold of anna on lane-a, recorded /m,
    );
    expect(fleet.json(['history']).document.vanished).toMatchObject([
      { holder: 'anna', profile: 'lane-a' },
    ]);
  });

  it('takes a hold that was paused again for replaced, and not for gone', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '-p', 'lane-a']);
    fleet.run(['pause', '-p', 'lane-a', '--reason', 'again']);
    expect(fleet.json(['history']).document.vanished).toEqual([]);
  });
});

describe('a hold that a restored backup brought back', () => {
  it('is not one whose copy was removed from another folder', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '--as', 'anna']);
    copyFileSync(fleet.sentinel(), fleet.sentinel('lane-a'));
    const [line] = linesOf(journalOf(fleet));
    const removed = {
      ...line,
      event: 'foreign-lift',
      profile: 'lane-a',
      scope: fleet.folder('lane-a'),
    };
    appendFileSync(journalOf(fleet), `${JSON.stringify(removed)}\n`);
    rmSync(fleet.sentinel('lane-a'));
    expect(fleet.run(['explain', '-p', 'lane-a']).stdout).not.toContain('came back');
    expect(examine(fleet).found('sentinels')).toEqual([]);
  });

  it('is named by explain and doctor, with who lifted it', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '-p', 'lane-a', '--as', 'anna']);
    const backup = join(fleet.root, 'backup');
    copyFileSync(fleet.sentinel('lane-a'), backup);
    expect(fleet.run(['explain', '-p', 'lane-a']).stdout).not.toContain('came back');
    fleet.run(['resume', '-p', 'lane-a', '--as', 'anna']);
    copyFileSync(backup, fleet.sentinel('lane-a'));
    expect(fleet.run(['explain', '-p', 'lane-a']).stdout).toMatch(
      /came back +was lifted at .* by \S+ according to the journal, and is there again: a restored backup\?/,
    );
    const { document } = fleet.json(['explain', '-p', 'lane-a']);
    expect(document.lanes[0].rulings[0].ended_before).toBe(linesOf(journalOf(fleet)).at(-1).at);
    expect(examine(fleet).found('sentinels')).toMatchObject([
      { level: 'warning', what: expect.stringContaining('is there again: a restored backup?') },
    ]);
  });
});
