/**
 * Whose hold it is where nobody says: the person's, so that one does not lift or shorten another's.
 */
import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { bodyOf, type Document, exists, makeFleet, place, preloaded } from '../support/fleet.ts';

const as = (holder: string, USER = holder) => ({ env: { FLEET_HOLDER: holder, USER } });
const holdersIn = (path: string): string[] =>
  bodyOf(path).holds.map(({ holder }: Document) => holder);

describe('the default holder is the person', () => {
  it('FLEET_HOLDER names it, before sudo’s user does', () => {
    const { run, sentinel } = makeFleet();
    run(['pause'], { env: { FLEET_HOLDER: 'alice', SUDO_USER: 'bob' } });
    expect(holdersIn(sentinel())).toEqual(['alice']);
  });

  it('without it, whoever called sudo', () => {
    const { run, sentinel } = makeFleet();
    run(['pause'], { env: { FLEET_HOLDER: '', SUDO_USER: 'bob', USER: 'root' } });
    expect(holdersIn(sentinel())).toEqual(['bob']);
    expect(bodyOf(sentinel()).holds[0].actor.user).toBe('bob');
  });

  it('without sudo, the user of the process, whatever USER says', () => {
    const { run, sentinel } = makeFleet();
    run(['pause'], { env: { FLEET_HOLDER: '', USER: 'somebody-else' } });
    expect(holdersIn(sentinel())).toEqual([userInfo().username]);
  });

  it('where the user has no name, `operator`', () => {
    const { run, sentinel } = makeFleet();
    const nameless = preloaded(
      "require('node:os').userInfo = () => { throw new Error('ENOENT: uv_os_get_passwd'); };",
    );
    run(['pause'], { env: { ...nameless.env, FLEET_HOLDER: '' } });
    expect(holdersIn(sentinel())).toEqual(['operator']);
  });

  it('--as goes before all of them', () => {
    const { run, sentinel } = makeFleet();
    run(['pause', '--as', 'deploy'], as('alice'));
    expect(holdersIn(sentinel())).toEqual(['deploy']);
  });

  it('a FLEET_HOLDER that is no holder is refused before anything is changed, and named', () => {
    const { run, sentinel } = makeFleet();
    const { code, stderr } = run(['pause'], as('a\u202eb', 'tester'));
    expect(code).toBe(2);
    expect(stderr).toContain('FLEET_HOLDER');
    expect(exists(sentinel())).toBe(false);
  });

  it('a script’s pause with a deadline, and its resume, leave a person’s hold as it was', () => {
    const { run, sentinel } = makeFleet();
    run(['pause', '--reason', 'audit'], as('alice'));
    run(['pause', '--ttl', '30m', '--reason', 'deploy'], as('ci'));
    expect(run(['resume'], as('ci')).code).not.toBe(0);
    expect(bodyOf(sentinel()).holds).toMatchObject([{ holder: 'alice', reason: 'audit' }]);
    expect(bodyOf(sentinel()).expires_at).toBeUndefined();
  });

  it('extend moves the person’s hold and nobody else’s', () => {
    const { run, sentinel } = makeFleet();
    run(['pause', '--ttl', '1h'], as('alice'));
    run(['pause', '--ttl', '1h'], as('bob'));
    const [, before] = bodyOf(sentinel()).holds;
    expect(run(['extend', '--ttl', '3h'], as('alice')).code).toBe(0);
    const bobs = bodyOf(sentinel()).holds.find(({ holder }: Document) => holder === 'bob');
    expect(bobs).toEqual(before);
  });
});

describe('whose hold a resume lifts', () => {
  it.each([
    ['an empty file', ''],
    ['a torn file', 'torn {'],
    ['an older tool’s body', '{"reason":"older tool"}'],
  ])('%s, which nobody signed, is lifted by anybody’s plain resume', (_what, content) => {
    const { run, sentinel } = makeFleet();
    place(sentinel(), content);
    expect(run(['resume'], as('alice')).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });

  it('what nobody signed stays for whoever names a holder', () => {
    const { run, sentinel } = makeFleet();
    place(sentinel(), '');
    expect(run(['resume', '--as', 'alice'], as('alice')).code).toBe(1);
    expect(exists(sentinel())).toBe(true);
  });

  it('a hold of `operator`, as older versions placed them, stays: whose it is and how to lift it are said', () => {
    const { root, run, sentinel } = makeFleet();
    run(['pause', '--as', 'operator', '--reason', 'old']);
    const { code, stdout, stderr } = run(['resume'], as('alice'));
    expect(code).toBe(1);
    expect(stdout).toContain('held in    (root) by operator: old');
    expect(stdout).toContain(`lift with  fleet resume --root ${root} --as operator`);
    expect(stderr).toContain('there is no hold of `alice` in the root');
    expect(holdersIn(sentinel())).toEqual(['operator']);
    expect(run(['resume', '--as', 'operator'], as('alice')).code).toBe(0);
  });

  it('the command that lifts a hold names its holder to everybody but that holder', () => {
    const { root, json } = makeFleet();
    json(['pause'], as('alice'));
    const commandFor = (person: string): string =>
      json(['explain'], as(person)).document.lanes[0].rulings[0].lift_command;
    expect(commandFor('alice')).toBe(`fleet resume --root ${root}`);
    expect(commandFor('bob')).toBe(`fleet resume --root ${root} --as alice`);
  });

  it('names holder, reason, since when and until when of what it lifted', () => {
    const { run } = makeFleet();
    run(['pause', '--reason', 'audit'], as('alice'));
    const { stdout, stderr } = run(['resume'], as('alice'));
    expect(stdout).toMatch(/lifted +alice: audit\n/);
    expect(stdout).toMatch(/since +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d \+00:00 \(\d+s ago\)\n/);
    expect(stdout).toMatch(/was until +none: stands until lifted\n/);
    expect(stdout).toMatch(/placed by +alice on /);
    expect(stderr).toBe('');
  });

  it('one’s own hold is one’s own, with USER in the environment or without, as in a service', () => {
    const { run } = makeFleet();
    run(['pause', '--as', 'deploy'], { env: { USER: '' } });
    const { stderr } = run(['resume', '--as', 'deploy'], { env: { USER: userInfo().username } });
    expect(stderr).toBe('');
  });

  it('says that somebody else placed it under the same name', () => {
    const { json, run } = makeFleet();
    run(['pause', '--as', 'deploy', '--reason', 'x'], as('alice'));
    const { stderr } = run(['resume', '--as', 'deploy'], as('bob'));
    expect(stderr).toMatch(
      /^warning: the hold of `deploy` .* was placed by alice on .*, not by bob/m,
    );
    run(['pause', '--as', 'deploy'], as('alice'));
    const [result] = json(['resume', '--as', 'deploy'], as('bob')).document.results;
    expect(result.placed_by_others).toEqual([result.lifted[0].id]);
  });
});
