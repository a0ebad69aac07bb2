import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import {
  arm,
  check,
  type Hold,
  journalPath,
  lift,
  type ScopeCheck,
} from '@fleet-estop/sentinel-core';
import { describe, expect, it } from 'vitest';
import { type PauseCommandOptions, pauseCommand } from '../../src/command/pause-command.ts';
import { disk, hold, homeOf, makeRoot } from '../support/fleets.ts';

const everybody = () => true;

/** A fleet with one profile and its chat. */
function chat(options: Partial<PauseCommandOptions> = {}) {
  const root = makeRoot('lane-a');
  const home = homeOf(root, 'lane-a');
  const control = pauseCommand({ home, mayControl: everybody, ...options });
  return {
    root,
    home,
    say: async (text: string, principal: string | null = 'olga') => {
      const reply = await control.handle({ text, principal });
      if (reply === null) throw new Error(`not taken for a command: ${text}`);
      return reply;
    },
    control,
  };
}

const holdsIn = (dir: string): readonly Hold[] => {
  const found: ScopeCheck = check(disk, dir);
  return found.engaged ? found.holds : [];
};

const journal = (root: string) =>
  readFileSync(journalPath(root), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; actor: object; profile: string });

it.each(['/pause off', '/pause status', '/pause'])(
  '%s does not say that nothing holds a profile whose home was moved away',
  async (text) => {
    const { say, home, root } = chat();
    await say('/pause');
    renameSync(home, join(root, 'moved'));
    const reply = await say(text);
    expect(reply.engaged).toBe(true);
    expect(reply.text).not.toContain('Nothing holds');
    expect(holdsIn(join(root, 'moved'))).toHaveLength(1);
  },
);

describe('words that ask', () => {
  it.each(['/pause ?', '/pause help', '/pause list', '/pause who', '/resume ?', '/resume who'])(
    '%s is answered, and pauses nothing',
    async (text) => {
      const { say, home, root } = chat();
      const reply = await say(text);
      expect(reply).toMatchObject({ done: true });
      expect(reply.text).toMatch(/To pause: write|Nothing holds lane-a/);
      expect(holdsIn(home)).toEqual([]);
      expect(existsSync(journalPath(root))).toBe(false);
    },
  );

  it('lift nothing: /resume ? while it is paused', async () => {
    const { say, home } = chat();
    await say('/pause');
    expect(await say('/resume ?')).toMatchObject({ outcome: 'help', done: true });
    expect(await say('/resume who')).toMatchObject({ outcome: 'status', engaged: true });
    expect(holdsIn(home)).toHaveLength(1);
  });

  it('tell whoever may not ask how it is written, and nothing of what holds', async () => {
    const { say } = chat({ mayControl: () => false });
    await expect(say('/pause help')).resolves.toMatchObject({ outcome: 'help', engaged: null });
    await expect(say('/pause who')).resolves.toMatchObject({ outcome: 'refused' });
  });
});

describe('a duration that leads', () => {
  it.each(['/pause 2h', '/pause for 2h', '/pause for 2 hours bad deploy'])(
    '%s is the deadline, and the reply says so',
    async (text) => {
      const { say, home } = chat();
      const { text: said } = await say(text);
      expect(said).toMatch(/until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(in (2h|1h 59m)/);
      const [own] = holdsIn(home);
      expect(own?.expiresAt).not.toBeNull();
      expect(own?.reason ?? '').toBe(text.endsWith('deploy') ? 'bad deploy' : '');
    },
  );
});

describe('/pause', () => {
  it('arms a hold of its own in the profile, and says what was read back', async () => {
    const { say, home, root } = chat();
    const reply = await say('/pause bad deploy');
    expect(reply).toMatchObject({ outcome: 'paused', done: true, engaged: true });
    expect(reply.text).toContain('Paused lane-a: bad deploy, until it is lifted.');
    expect(holdsIn(home)).toMatchObject([
      {
        holder: 'chat',
        reason: 'bad deploy',
        expiresAt: null,
        actor: { user: 'olga', via: 'chat' },
      },
    ]);
    expect(holdsIn(root)).toEqual([]);
    expect(journal(root)).toMatchObject([
      { event: 'arm', profile: 'lane-a', actor: { user: 'olga', via: 'chat', pid: process.pid } },
    ]);
  });

  it('with --ttl ends by itself, and says when, in UTC', async () => {
    const { say, home } = chat();
    const begun = Date.now();
    const { text } = await say('/pause bad deploy --ttl 2h');
    const [armed] = holdsIn(home);
    const deadline = armed?.expiresAtMs ?? 0;
    expect(deadline).toBeGreaterThanOrEqual(begun + 7_200_000);
    expect(deadline).toBeLessThanOrEqual(Date.now() + 7_200_000);
    expect(text).toMatch(/until \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC \(in 2h\)/);
  });

  it('again keeps reason and deadline that are not given anew', async () => {
    const { say, home, root } = chat();
    await say('/pause --ttl 2h bad deploy');
    const [first] = holdsIn(home);
    const again = await say('/pause');
    expect(again.text).toContain('Paused lane-a again: bad deploy, until');
    expect(holdsIn(home)).toMatchObject([{ reason: 'bad deploy', expiresAt: first?.expiresAt }]);
    await say('/pause worse');
    expect(holdsIn(home)).toMatchObject([{ reason: 'worse', expiresAt: first?.expiresAt }]);
    expect(journal(root).map(({ event }) => event)).toEqual(['arm', 're-arm', 're-arm']);
  });

  it("leaves everybody else's hold as it is, allowlist and deadline included", async () => {
    const { say, home } = chat();
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    arm(disk, home, { reason: 'audit', expiresAt, allow: { userIds: ['4711'] } });
    const before = holdsIn(home);
    await say('/pause bad deploy');
    await say('/pause --ttl 5m');
    expect(holdsIn(home).filter(({ holder }) => holder === 'operator')).toEqual(before);
    await say('/pause off');
    expect(holdsIn(home)).toEqual(before);
  });

  it('keeps the allowlist that its own hold was given elsewhere', async () => {
    const { say, home } = chat();
    arm(disk, home, { holder: 'chat', allow: { userIds: ['4711'] } });
    await say('/pause bad deploy --ttl 2h');
    expect(holdsIn(home)).toMatchObject([{ holder: 'chat', allow: { userIds: ['4711'] } }]);
  });

  it('says whom it keeps out who could pass before', async () => {
    const { say, home } = chat();
    arm(disk, home, { allow: { userIds: ['4711'] } });
    const { text } = await say('/pause --close');
    expect(text).toContain('Can no longer pass while this hold is in place: 4711.');
    expect((await say('/pause')).text).not.toContain('4711');
  });

  it('says what else holds', async () => {
    const { say, root } = chat();
    hold(root, 'audit');
    const { text } = await say('/pause bad deploy');
    expect(text).toContain('- the whole fleet, by operator: audit, until it is lifted');
  });

  it('shortens a reason that is too long, and says so', async () => {
    const { say, home } = chat();
    const { text } = await say(`/pause ${'long '.repeat(500)}`);
    expect(text).toContain('The reason was too long and was shortened.');
    expect(holdsIn(home)[0]?.reason).toHaveLength(1024);
  });

  it('says that a deadline which no date can hold is none', async () => {
    const { say, home } = chat();
    const { text } = await say('/pause --ttl 99999999999999d');
    expect(text).toContain('has NO deadline');
    expect(holdsIn(home)).toMatchObject([{ expiresAt: null }]);
  });

  it('shows a reason as one line in which nothing is hidden', async () => {
    const { say, home } = chat();
    const { text } = await say('/pause a\n\u202eb\u0007c\nResumed lane-a');
    expect(text.split('\n')[0]).toMatch(/^Paused lane-a: a .*bc Resumed lane-a, until/);
    for (const hidden of ['\u202e', '\u0007']) expect(text).not.toContain(hidden);
    expect(holdsIn(home)[0]?.reason).toContain('\u202e');
  });

  it('claims nothing where the hold could not be placed', async () => {
    const { say, home, root } = chat();
    disk.rename(home, `${home}-moved`);
    const reply = await say('/pause');
    // What holds a profile whose home is gone is unknown, so its gates refuse.
    expect(reply).toMatchObject({ outcome: 'failed', done: false, engaged: true });
    expect(reply.text).toMatch(/^NOT paused: your hold on lane-a was not placed: .*\(ENOENT\)/);
    hold(root, 'audit');
    const others = await say('/pause');
    expect(others).toMatchObject({ outcome: 'failed', done: false, engaged: true });
    expect(others.text).toMatch(/^NOT paused by you/);
    expect(others.text).toContain('by operator: audit');
  });

  it.each<[string, (home: string) => void, RegExp, boolean]>([
    [
      'while another holds',
      (home) => arm(disk, home, { holder: 'deploy', reason: 'rollout' }),
      /^NOT paused by you: .* lifted or replaced it since\.\n.*\n- lane-a, by deploy: rollout/,
      true,
    ],
    [
      'and nothing holds',
      () => {},
      /^NOT paused: your hold on lane-a .* lifted or replaced it since\.$/,
      false,
    ],
  ])('claims nothing where its hold was lifted at once, %s', async (_, before, text, engaged) => {
    const { root, home } = chat();
    // After the journal entry, before the disk is read back.
    let isDue = true;
    const meddled = {
      ...disk,
      now() {
        if (isDue && existsSync(journalPath(root))) {
          isDue = false;
          before(home);
          lift(disk, home, { holder: 'chat' });
        }
        return disk.now();
      },
    };
    const control = pauseCommand({ home, mayControl: everybody, disk: meddled });
    const reply = await control.handle({ text: '/pause', principal: 'olga' });
    expect(isDue).toBe(false);
    expect(reply).toMatchObject({ outcome: 'failed', done: false, engaged });
    expect(reply?.text).toMatch(text);
  });

  it('says when it was not recorded', async () => {
    const { say, root, home } = chat();
    writeFileSync(join(root, '.fleet'), '');
    const reply = await say('/pause');
    expect(reply).toMatchObject({ outcome: 'paused', done: true });
    expect(reply.text).toContain('not recorded');
    expect(holdsIn(home)).toHaveLength(1);
  });

  it('names the profiles that are paused with it, by a link to the same folder', async () => {
    const { say, root, home } = chat();
    symlinkSync(home, homeOf(root, 'lane-b'));
    expect((await say('/pause')).text).toContain(
      'Also paused, because they link to the same folder: lane-b.',
    );
  });
});

describe('/pause off', () => {
  it('lifts the hold of the chat, and says that nothing holds', async () => {
    const { say, home, root } = chat();
    await say('/pause');
    const reply = await say('/pause off');
    expect(reply).toMatchObject({ outcome: 'resumed', done: true, engaged: false });
    expect(reply.text).toBe('Resumed lane-a: nothing holds it.');
    expect(existsSync(join(home, 'ESTOP'))).toBe(false);
    expect(journal(root).map(({ event }) => event)).toEqual(['arm', 'lift']);
  });

  it.each(['/pause off', '/pause resume', '/resume'])(
    '%s of nothing is done, and does not claim a resume',
    async (word) => {
      const { say, root } = chat();
      const reply = await say(word);
      expect(reply).toMatchObject({ outcome: 'free', done: true, engaged: false });
      expect(reply.text).toBe('Nothing holds lane-a.');
      expect(existsSync(journalPath(root))).toBe(false);
    },
  );

  it.each([
    ['an operator’s, in the profile', (home: string) => hold(home, 'audit')],
    ['another holder’s', (home: string) => arm(disk, home, { holder: 'deploy' })],
    ['one that nobody signed', (home: string) => writeFileSync(join(home, 'ESTOP'), '')],
    ['one that cannot be read', (home: string) => writeFileSync(join(home, 'ESTOP'), '{"holds":')],
    ['a folder', (home: string) => mkdirSync(join(home, 'ESTOP'))],
    ['the fleet’s', (home: string) => hold(join(home, '..', '..'), 'audit')],
  ])('leaves %s, and does not say resumed', async (_, place) => {
    const { say, home, root } = chat();
    place(home);
    const before = [holdsIn(home), holdsIn(root)];
    const reply = await say('/pause off');
    expect(reply).toMatchObject({ outcome: 'still-paused', done: false, engaged: true });
    expect(reply.text).toMatch(/^lane-a is STILL PAUSED:\n- /);
    expect(reply.text).not.toMatch(/resumed/i);
    expect([holdsIn(home), holdsIn(root)]).toEqual(before);
  });

  it('says how what still holds is lifted, and by whom', async () => {
    const { say, home, root } = chat();
    await say('/pause');
    hold(root, 'audit');
    arm(disk, home, { holder: 'deploy', reason: 'rollout' });
    arm(disk, home, { holder: 'x; rm -rf /', reason: 'odd' });
    const { text, outcome } = await say('/pause off');
    expect(outcome).toBe('still-paused');
    expect(text.split('\n')).toEqual([
      "lane-a is STILL PAUSED, though this chat's hold is lifted:",
      '- lane-a, by deploy: rollout, until it is lifted, lifted by its holder: `fleet resume -p lane-a --as deploy`',
      '- lane-a, by x; rm -rf /: odd, until it is lifted, lifted by its holder',
      '- the whole fleet, by operator: audit, until it is lifted, lifted by its holder: `fleet resume --as operator`',
    ]);
  });

  it("of another user's file that cannot be read, names the only command that lifts it", async () => {
    const isItsFile = (path: string) => path.endsWith('/ESTOP');
    const barred: typeof disk = {
      ...disk,
      open(path, mode) {
        if (!isItsFile(path)) return disk.open(path, mode);
        throw Object.assign(new Error('not allowed'), { code: 'EACCES' });
      },
    };
    const { say, home } = chat({ disk: barred });
    hold(home, 'of another user');
    const { text, outcome } = await say('/pause off');
    expect(outcome).toBe('still-paused');
    expect(text).toContain('cannot be read (EACCES), so it holds');
    expect(text).toContain('`fleet resume -p lane-a --everyone`');
  });

  it("does not offer itself for a hold of its holder's name in the whole fleet", async () => {
    const { say, root } = chat();
    arm(disk, root, { holder: 'chat', reason: 'audit' });
    const { text } = await say('/pause off');
    expect(text).toContain('the whole fleet, by chat: audit');
    expect(text).toContain('`fleet resume --as chat`');
    expect(text).not.toContain('`/pause off`');
  });

  it('removes a hold that has expired', async () => {
    const { say, home, root } = chat();
    const body = { expires_at: '2020-01-01T00:00:00Z', reason: 'long ago' };
    writeFileSync(join(home, 'ESTOP'), JSON.stringify(body));
    expect(await say('/pause off')).toMatchObject({ outcome: 'free', done: true, engaged: false });
    expect(existsSync(join(home, 'ESTOP'))).toBe(false);
    expect(journal(root).map(({ event }) => event)).toEqual(['retire']);
  });

  it('names a handful of holds, and counts the rest', async () => {
    const { say, home } = chat();
    for (let at = 0; at < 9; at++)
      arm(disk, home, { holder: `holder-${at}`, reason: 'y'.repeat(1000) });
    const { text } = await say('/pause off');
    expect(text.split('\n')).toHaveLength(7);
    expect(text).toContain('- and 4 more');
    expect(text.length).toBeLessThan(2_500);
  });
});

describe('/pause status', () => {
  it('says what holds, in all of the chain, and changes nothing', async () => {
    const { say, home, root } = chat();
    expect(await say('/pause status')).toMatchObject({
      outcome: 'status',
      done: true,
      engaged: false,
      text: 'Nothing holds lane-a.',
    });
    await say('/pause bad deploy');
    hold(root, 'audit');
    const written = [home, root].map((dir) => readFileSync(join(dir, 'ESTOP'), 'utf8'));
    const reply = await say('/pause status');
    expect(reply).toMatchObject({ outcome: 'status', done: true, engaged: true });
    expect(reply.text).toContain(
      'lane-a, by chat: bad deploy, until it is lifted, lifted with `/pause off`',
    );
    expect(reply.text).toContain('the whole fleet, by operator: audit');
    expect([home, root].map((dir) => readFileSync(join(dir, 'ESTOP'), 'utf8'))).toEqual(written);
  });
});

describe('who may', () => {
  const asked = ['/pause bad deploy', '/pause off', '/pause status'];

  async function changesNothing(options: Partial<PauseCommandOptions>, principal: string | null) {
    const { say, home } = chat(options);
    arm(disk, home, { holder: 'chat', reason: 'secret plans' });
    const before = readFileSync(join(home, 'ESTOP'), 'utf8');
    for (const text of asked) {
      const reply = await say(text, principal);
      expect(reply, text).toMatchObject({ outcome: 'refused', done: false, engaged: null });
      expect(reply.text).not.toContain('secret');
    }
    expect(readFileSync(join(home, 'ESTOP'), 'utf8')).toBe(before);
  }

  it('nobody, unless the author says who', async () => {
    const root = makeRoot('lane-a');
    const home = homeOf(root, 'lane-a');
    const control = pauseCommand({ home });
    for (const text of asked) {
      const reply = await control.handle({ text, principal: 'olga' });
      expect(reply).toMatchObject({ outcome: 'refused' });
      expect(reply).not.toHaveProperty('cause');
    }
    expect(holdsIn(home)).toEqual([]);
  });

  it.each([
    ['false', () => false],
    ['a truthy text', () => 'yes' as unknown as boolean],
    ['1', () => 1 as unknown as boolean],
    ['a promise of false', async () => false],
    ['a promise of an object', async () => ({}) as unknown as boolean],
    ['nothing', () => undefined as unknown as boolean],
  ])('nobody, where the check answers %s', async (_, mayControl) => {
    await changesNothing({ mayControl }, 'olga');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no directory');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no directory'))],
  ])('nobody, where the check %s; the author hears of it', async (_, mayControl) => {
    await changesNothing({ mayControl }, 'olga');
    const { say } = chat({ mayControl });
    expect((await say('/pause')).cause).toMatchObject({ message: 'no directory' });
  });

  it.each([null, ''])('nobody who is not known: %j is not even asked about', async (principal) => {
    const questions: string[] = [];
    await changesNothing({ mayControl: (who) => questions.push(who) > 0 }, principal);
    expect(questions).toEqual([]);
  });

  it('each action is asked about by itself', async () => {
    const questions: string[] = [];
    const { say } = chat({
      mayControl: (principal, action) => {
        questions.push(`${principal} ${action}`);
        return action === 'pause';
      },
    });
    const outcomes = [];
    for (const text of asked) outcomes.push((await say(text)).outcome);
    expect(outcomes).toEqual(['paused', 'refused', 'refused']);
    expect(questions).toEqual(['olga pause', 'olga resume', 'olga status']);
  });

  it('a mistaken command changes nothing, whoever writes it', async () => {
    const { say, home } = chat();
    expect(await say('/pause --ttl soon')).toMatchObject({ outcome: 'mistaken', done: false });
    expect((await say('/pause --ttl soon')).text).toMatch(/^Nothing was changed: .*`--ttl soon`/);
    expect(holdsIn(home)).toEqual([]);
  });

  it('what is no command is left to the author', async () => {
    expect(await chat().control.handle({ text: 'hello', principal: 'olga' })).toBeNull();
  });

  it('cannot be set up to act as the operator, or as nobody', () => {
    const root = makeRoot('lane-a');
    for (const holder of ['operator', '', 'a\nb', 'x'.repeat(65)]) {
      expect(() => pauseCommand({ home: homeOf(root, 'lane-a'), holder })).toThrow(
        expect.objectContaining({ code: 'VALUE_INVALID' }),
      );
    }
  });
});

describe('a profile whose sentinel is the fleet’s', () => {
  it.each([
    ['default', (root: string) => root],
    [
      'a link to the root',
      (root: string) => {
        symlinkSync(root, homeOf(root, 'lane-b'));
        return homeOf(root, 'lane-b');
      },
    ],
  ])('%s: pausing it alone is refused with the explanation', async (_, homeFor) => {
    const root = makeRoot('lane-a');
    const control = pauseCommand({ home: homeFor(root), mayControl: everybody });
    for (const text of ['/pause bad deploy', '/pause off']) {
      const reply = await control.handle({ text, principal: 'olga' });
      expect(reply).toMatchObject({ outcome: 'failed', done: false, engaged: false });
      expect(reply?.text).toContain("the whole fleet's");
    }
    expect(holdsIn(root)).toEqual([]);
    arm(disk, root, { holder: 'chat' });
    expect(await control.handle({ text: '/pause off', principal: 'olga' })).toMatchObject({
      outcome: 'failed',
      done: false,
      engaged: true,
    });
    expect(holdsIn(root)).toHaveLength(1);
    expect(await control.handle({ text: '/pause status', principal: 'olga' })).toMatchObject({
      outcome: 'status',
      engaged: true,
    });
  });
});
