/**
 * `fleet status --only`: which profiles are shown; all of them are counted.
 */
import { describe, expect, it } from 'vitest';
import { type Document, makeFleet, spoil } from '../support/fleet.ts';
import { keyPathsOf } from '../support/key-paths.ts';

function mixed() {
  const fleet = makeFleet('lane-a', 'lane-b', 'lane-c');
  fleet.run(['pause', '-p', 'lane-a']);
  spoil(fleet.sentinel('lane-b'));
  return fleet;
}

const shownBy = (document: Document): string[] =>
  document.lanes.map(({ profile }: Document) => profile);

describe('--only', () => {
  it.each([
    ['paused', ['lane-a', 'lane-b']],
    ['running', ['lane-c']],
    ['unreadable', ['lane-b']],
  ])('%s', (only, lanes) => {
    const { json, run } = mixed();
    const { code, document } = json(['status', '--only', only]);
    expect(code).toBe(3);
    expect(document).toMatchObject({ only, profiles: 3, profiles_paused: 2 });
    expect(shownBy(document)).toEqual(lanes);
    const text = run(['status', '--only', only]).stdout;
    expect(text).toMatch(/^2 of 3 profiles paused; nothing holds the root\n/);
    expect(text.split('\n').filter((line) => line.startsWith('lane-'))).toHaveLength(lanes.length);
    expect(text).toContain(`shown: ${lanes.length} of 3 profiles (--only ${only})`);
  });

  it('leaves out what is asked for with -p as well', () => {
    const { json } = mixed();
    const { code, document } = json([
      'status',
      '--only',
      'running',
      '-p',
      'lane-a',
      '-p',
      'lane-c',
    ]);
    expect(code).toBe(0);
    expect(shownBy(document)).toEqual(['lane-c']);
  });

  it('a root that is held pauses every profile', () => {
    const { json, run } = makeFleet('lane-a', 'lane-b');
    run(['pause']);
    expect(shownBy(json(['status', '--only', 'paused']).document)).toEqual(['lane-a', 'lane-b']);
    expect(shownBy(json(['status', '--only', 'running']).document)).toEqual([]);
  });

  it('one of which there is none is no mistake', () => {
    const { run } = makeFleet('lane-a');
    const { code, stdout } = run(['status', '--only', 'paused']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^running: .*\n/);
  });
});

it('the document of a status has these keys and no others', () => {
  const { json, run } = makeFleet('lane-a', 'Not A Lane');
  run(['pause', '-p', 'lane-a', '--allow-user', 'u1', '--allow-profile', 'lane-a']);
  expect(keyPathsOf(json(['status']).document)).toMatchInlineSnapshot(`
    [
      "held_by",
      "holders",
      "lanes",
      "lanes[].gateway_absent",
      "lanes[].gateways",
      "lanes[].held_by",
      "lanes[].may_pass",
      "lanes[].may_pass.profiles",
      "lanes[].may_pass.user_ids",
      "lanes[].profile",
      "lanes[].revision",
      "lanes[].scope",
      "lanes[].scope.expired",
      "lanes[].scope.generation",
      "lanes[].scope.holds",
      "lanes[].scope.holds[].actor",
      "lanes[].scope.holds[].actor.host",
      "lanes[].scope.holds[].actor.pid",
      "lanes[].scope.holds[].actor.user",
      "lanes[].scope.holds[].actor.via",
      "lanes[].scope.holds[].allow",
      "lanes[].scope.holds[].allow.profiles",
      "lanes[].scope.holds[].allow.user_ids",
      "lanes[].scope.holds[].engaged_at",
      "lanes[].scope.holds[].expires_at",
      "lanes[].scope.holds[].holder",
      "lanes[].scope.holds[].id",
      "lanes[].scope.holds[].reason",
      "lanes[].scope.holds[].seconds_left",
      "lanes[].scope.holds[].unreadable",
      "lanes[].scope.kind",
      "lanes[].scope.may_pass",
      "lanes[].scope.may_pass.profiles",
      "lanes[].scope.may_pass.user_ids",
      "lanes[].scope.profile",
      "lanes[].scope.sentinel",
      "lanes[].scope.state",
      "lanes[].scope.under_way",
      "lanes[].scope.unreadable",
      "lanes[].state",
      "lanes[].work",
      "lanes[].work.complete",
      "lanes[].work.count",
      "lanes[].work.oldest",
      "lanes[].work.unproven",
      "lanes[].work.wedged",
      "may_pass",
      "only",
      "outsiders",
      "profiles",
      "profiles_paused",
      "profiles_unreadable",
      "rejected",
      "rejected[].name",
      "rejected[].why",
      "root",
      "root_source",
      "schema",
      "scopes",
      "scopes[].expired",
      "scopes[].generation",
      "scopes[].holds",
      "scopes[].kind",
      "scopes[].may_pass",
      "scopes[].profile",
      "scopes[].sentinel",
      "scopes[].state",
      "scopes[].under_way",
      "scopes[].unreadable",
      "skipped",
      "state",
      "unserved",
      "watcher",
      "watcher.epoch",
      "watcher.reached",
      "watcher.why",
    ]
  `);
});
