import { describe, expect, it } from 'vitest';
import { makeFleet, spoilProfiles, UNSAFE } from '../support/fleet.ts';
import { startGateway, untilGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { saidWatcher, stateText } from '../support/said-watcher.ts';
import { startWatcher } from '../support/watcher.ts';

/** Of a gateway that was stopped: on a busy machine it is stale before it is looked at. */
const MUTE = expect.stringMatching(/^(silent|stale)$/);
const SECOND = 1_000;
const gateway = (name: string, link: string, more: object = {}) => ({
  instance: name,
  pid: 7,
  software: 's',
  link,
  last_seen_at: new Date().toISOString(),
  profiles: [{ name, in_flight: 0, acknowledged: 3, acknowledged_at: null }],
  ...more,
});
const goneFor = (ms: number) => ({
  last_seen_at: new Date(Date.now() - ms).toISOString(),
  returning: ms < 6 * SECOND,
});
const LANE = { name: 'lane-a', engaged: false, own: null, revision: 3 };

/** A fleet of `lane-a`, and whoever a watcher says is there. */
async function saying(more: object) {
  const fleet = makeFleet('lane-a');
  await saidWatcher(fleet.root, (_request, response) =>
    response.end(stateText({ profiles: [LANE], ...more })),
  );
  return async (...words: readonly string[]) => {
    const live = startFleet([...words, '--root', fleet.root]);
    const { code } = await live.ended;
    return { code, stdout: live.stdout(), stderr: live.stderr() };
  };
}

describe('beside a gateway of every profile, all of which have acknowledged', () => {
  it.each([
    ['has acknowledged', () => gateway('elsewhere', 'acknowledged'), 0, 0],
    ['has not', () => gateway('elsewhere', 'connected'), 4, 1],
    ['has not, and is silent', () => gateway('elsewhere', 'stale'), 4, 1],
    ['went away a moment ago', () => gateway('elsewhere', 'gone', goneFor(SECOND)), 4, 3],
    ['is gone for good', () => gateway('elsewhere', 'gone', goneFor(60 * SECOND)), 0, 0],
  ] as const)('one that %s', async (_, outsider, waited, asserted) => {
    const fleet = await saying({ gateways: [gateway('lane-a', 'acknowledged'), outsider()] });
    const [wait, assertion, some] = await Promise.all([
      fleet('resume', '--wait', '--timeout', '1s'),
      fleet('assert', 'acknowledged'),
      fleet('assert', 'acknowledged', '-p', 'lane-a'),
    ]);
    expect({ wait: wait.code, assertion: assertion.code }).toEqual({
      wait: waited,
      assertion: asserted,
    });
    expect(some).toMatchObject({ code: 0, stdout: 'ok    lane-a  acknowledged by 1 of 1\n' });
  });
});

describe('where it alone has acknowledged', () => {
  it('nobody of the fleet has, and no sentence says that nobody is connected', async () => {
    const fleet = await saying({ gateways: [gateway('elsewhere', 'acknowledged')] });
    const wait = await fleet('resume', '--wait', '--timeout', '1h');
    expect(wait.code).toBe(4);
    expect(wait.stderr).toContain(
      'NOT acknowledged by anybody: no gateway of a profile is connected\n',
    );
    const { code, stdout } = await fleet('assert', 'acknowledged');
    expect(code).toBe(1);
    expect(stdout.split('\n')).toEqual([
      'FAIL  lane-a     no gateway is connected',
      'ok    (outside)  acknowledged by s, process 7, which serves names that are not profiles here: elsewhere',
      'no gateway serves 1 of 1 profile',
      '',
    ]);
  });
});

describe('what it has acknowledged is nothing', () => {
  it('as long as the watcher has not seen what holds the root', async () => {
    const scopes = [{ kind: 'root', generation: 'g1', holds: [{ id: 'h1' }] }];
    const gateways = [gateway('elsewhere', 'acknowledged')];
    const fleet = await saying({ scopes, gateways });
    const { stdout } = await fleet('assert', 'acknowledged');
    expect(stdout).toContain('FAIL  (outside)  not acknowledged (silent) by s, process 7, ');
  });
});

describe('a real one', () => {
  it('that has not acknowledged makes the assertion false, and is named; of some profiles it is no part', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const outsider = await startGateway(fleet.root, 'outsider', ['elsewhere', 'nowhere']);
    expect(fleet.run(['pause', '--wait']).code).toBe(0);
    expect(fleet.run(['assert', 'acknowledged'])).toMatchObject({ code: 0, stderr: '' });
    outsider.signal('SIGSTOP');
    fleet.run(['resume']);
    expect(fleet.run(['assert', 'acknowledged', '-p', 'lane-a', '--within', '10s']).code).toBe(0);

    const { code, document } = fleet.json(['assert', 'acknowledged']);
    expect(code).toBe(1);
    expect(document).toMatchObject({ holds: false, judgements: [{ verdict: 'pass' }] });
    expect(document.outsiders).toMatchObject([
      { profile: 'elsewhere', pid: outsider.pid, standing: MUTE },
      { profile: 'nowhere', pid: outsider.pid, standing: MUTE },
    ]);
    const { stdout, stderr } = fleet.run(['assert', 'acknowledged']);
    expect(stdout.replace('(stale)', '(silent)')).toBe(
      `ok    lane-a     acknowledged by 1 of 1\nFAIL  (outside)  not acknowledged (silent) by sample/1.0, process ${outsider.pid}, which serves names that are not profiles here: elsewhere, nowhere\n`,
    );
    expect(stderr).toBe('not acknowledged: (outside)\n');
    expect(fleet.run(['assert', 'acknowledged', '--within', '1s']).code).toBe(5);

    const status = fleet.run(['status']);
    expect(status.stdout).toMatch(/NOT acknowledged by every gateway: elsewhere, nowhere\n$/);
    expect(fleet.json(['status']).document.outsiders).toMatchObject([
      { profile: 'elsewhere', standing: MUTE },
      { profile: 'nowhere', standing: MUTE },
    ]);
    outsider.signal('SIGCONT');
    expect(fleet.run(['assert', 'acknowledged', '--within', '10s']).code).toBe(0);
  });

  it('that was killed is one that may come back, where the whole fleet is meant', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const outsider = await startGateway(fleet.root, 'outsider', ['elsewhere']);
    await outsider.killed();
    await untilGateway(fleet.root, 'outsider', ({ link }) => link === 'gone');
    expect(fleet.run(['assert', 'acknowledged', '-p', 'lane-a']).code).toBe(0);
    const { code, stderr } = fleet.run(['assert', 'acknowledged']);
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /^\(outside\): unknown: a gateway of elsewhere, last heard \d+s ago, disconnected/,
    );
  });
});

describe('where it cannot be told which profiles there are', () => {
  it('nothing is said to be none of them', async () => {
    const fleet = makeFleet();
    spoilProfiles(fleet.root);
    const unreadable = [{ what: 'profiles', why: 'ENOTDIR' }];
    await saidWatcher(fleet.root, (_request, response) =>
      response.end(stateText({ unreadable, gateways: [gateway('lane-a', 'connected')] })),
    );
    for (const words of [['status'], ['explain'], ['assert', 'acknowledged']]) {
      const live = startFleet([...words, '--root', fleet.root]);
      const { code } = await live.ended;
      expect(code, words.join(' ')).toBe(words[0] === 'explain' ? 0 : 3);
      expect(live.stdout()).not.toMatch(
        /\(outside\)|every connected gateway|no gateway is connected/,
      );
    }
  });
});

describe('in a report for CI', () => {
  const reported = async (format: string, ...outsiders: readonly object[]) => {
    const fleet = await saying({ gateways: [gateway('lane-a', 'acknowledged'), ...outsiders] });
    return (await fleet('assert', 'acknowledged', '--format', format)).stdout;
  };
  const silent = gateway('elsewhere', 'connected');
  const heard = gateway('elsewhere', 'acknowledged');
  const leaving = gateway('elsewhere', 'gone', { last_seen_at: null, returning: true });

  it('of JUnit it is a case of its own', async () => {
    expect(await reported('junit', silent)).toMatch(
      /tests="2" failures="1" errors="0" .*name="\(outside\)" time="0"><failure message="\(outside\) is not acknowledged: /s,
    );
    expect(await reported('junit', leaving)).toMatch(
      /tests="2" failures="0" errors="1" .*name="\(outside\)" time="0"><error /s,
    );
    expect(await reported('junit', heard)).toMatch(/tests="2" failures="0" errors="0" /);
  });

  it('of GitHub it is an annotation of its own', async () => {
    const title = 'title=fleet assert acknowledged::';
    expect(await reported('github', silent)).toMatch(
      new RegExp(`^::error ${title}\\(outside\\) is not acknowledged: `),
    );
    expect(await reported('github', leaving)).toMatch(
      new RegExp(`^::error ${title}\\(outside\\): unknown: a gateway of elsewhere`),
    );
    expect(await reported('github', heard)).toBe('');
  });

  it('its names, which are anybody’s text, forge nothing and are never long', async () => {
    const name = '\u001b[2Jx\u202e\n::error::x"/><failure/>'.repeat(2_000);
    for (const format of ['text', 'github', 'junit']) {
      const text = await reported(format, gateway(name, 'connected'));
      expect(text.replaceAll('\n', '')).not.toMatch(UNSAFE);
      expect(text).not.toMatch(/^::error::x/m);
      if (format === 'junit') expect(text).not.toContain('<failure/>');
      expect(text.length).toBeLessThan(2_000);
    }
  });
});
