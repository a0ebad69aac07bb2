/** `/pause` beside holds with an allowlist or a deadline: neither is lost without a notice. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Allow,
  type ArmRequest,
  arm,
  check,
  type DiskPort,
  formatInstant,
  type Hold,
  lift,
} from '@fleet-estop/sentinel-core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PauseCommandOptions, pauseCommand } from '../../src/command/pause-command.ts';
import { openGate } from '../../src/index.ts';
import { disk, homeOf, makeRoot } from '../support/fleets.ts';

const MINUTE_MS = 60_000;
const later = (minutes: number): string => formatInstant(Date.now() + minutes * MINUTE_MS);
const op: Allow = { userIds: ['op'] };

function place(dir: string, request: ArmRequest): Hold {
  const result = arm(disk, dir, request);
  if (!result.armed) throw new Error(`could not arm ${dir}: ${result.why}`);
  return result.hold;
}

/** A fleet of one profile: its gate, its chat, and the hold that the chat has placed in it. */
function fleet(options: Partial<PauseCommandOptions> = {}) {
  const root = makeRoot('lane-a');
  const home = homeOf(root, 'lane-a');
  const gate = openGate({ home, software: 'sample/1.0', link: false, keepAlive: false });
  onTestFinished(() => gate.close());
  const control = pauseCommand({ home, mayControl: () => true, ...options });
  return {
    root,
    home,
    passes: (principal: string) => gate.ask({ door: 'turn', principal }).admitted,
    async say(text: string) {
      const reply = await control.handle({ text, principal: 'peer' });
      if (reply === null) throw new Error(`not taken for a command: ${text}`);
      return reply;
    },
    own(): Hold | undefined {
      const found = check(disk, home);
      return found.engaged ? found.holds.find(({ holder }) => holder === 'chat') : undefined;
    },
  };
}

describe('/pause by a peer does not lock the operator out', () => {
  it.each([
    ['in the root', (at: { root: string }) => at.root],
    ['in the profile', (at: { home: string }) => at.home],
  ])('who may pass a hold %s passes after it, too, and until the same deadline', async (_, dir) => {
    const at = fleet();
    const existing = place(dir(at), { reason: 'incident', allow: op, expiresAt: later(45) });
    expect([at.passes('op'), at.passes('peer')]).toEqual([true, false]);
    const { text, done } = await at.say('/pause peer');
    expect(done).toBe(true);
    expect([at.passes('op'), at.passes('peer')]).toEqual([true, false]);
    expect(at.own()).toMatchObject({ reason: 'peer', allow: op });
    expect(at.own()?.expiresAtMs).toBe(existing.expiresAtMs);
    expect(text).toMatch(/^Paused lane-a: peer, until .* UTC \(in 44m/);
    expect(text).toContain('op may still pass');
    expect(text).toContain('`/pause --close`');
    expect(text).toContain('`/pause --no-ttl`');
    expect(text).not.toContain('while this hold is in place');
  });

  it('what it took over stays when it is said again, and when the other hold is lifted', async () => {
    const at = fleet();
    const { id } = place(at.root, { allow: op, expiresAt: later(45) });
    await at.say('/pause peer');
    const first = at.own();
    lift(disk, at.root, { id });
    const { text } = await at.say('/pause');
    expect(at.own()).toMatchObject({ allow: op, expiresAt: first?.expiresAt });
    expect(at.passes('op')).toBe(true);
    expect(text).not.toMatch(/taken over/i);
  });

  it('a deadline of its own is kept to, and the allowlist is taken over all the same', async () => {
    const at = fleet();
    place(at.root, { allow: op, expiresAt: later(45) });
    const { text } = await at.say('/pause --ttl 5m peer');
    expect(at.own()?.expiresAtMs).toBeLessThanOrEqual(Date.now() + 5 * MINUTE_MS);
    expect(at.passes('op')).toBe(true);
    expect(text).not.toContain('--no-ttl');
  });

  it('a deadline that no date can hold is none, and another is not taken over for it', async () => {
    const at = fleet();
    place(at.root, { expiresAt: later(45) });
    const { text } = await at.say('/pause --ttl 99999999999999d');
    expect(at.own()).toMatchObject({ expiresAt: null });
    expect(text).toContain('has NO deadline');
  });
});

describe('what is said outranks what stands', () => {
  it('with --close nobody passes, and the reply names whom it closes out', async () => {
    const at = fleet();
    const existing = place(at.root, { allow: { userIds: ['op', 'olga'] }, expiresAt: later(45) });
    const { text } = await at.say('/pause --close runaway');
    expect([at.passes('op'), at.passes('olga')]).toEqual([false, false]);
    expect(at.own()).toMatchObject({ reason: 'runaway', allow: null });
    expect(at.own()?.expiresAtMs).toBe(existing.expiresAtMs);
    expect(text).toContain('Can no longer pass while this hold is in place: op, olga.');
    expect(text).not.toContain('may still pass');
    await at.say('/pause off');
    expect(at.passes('op')).toBe(true);
  });

  it('with --no-ttl it stands until it is lifted', async () => {
    const at = fleet();
    place(at.root, { allow: op, expiresAt: later(45) });
    const { text } = await at.say('/pause runaway --no-ttl');
    expect(at.own()).toMatchObject({ reason: 'runaway', expiresAt: null, allow: op });
    expect(text).toContain('Paused lane-a: runaway, until it is lifted.');
    expect(text).not.toMatch(/deadline/i);
  });

  it('its own hold, said again, is closed by --close and loses its deadline by --no-ttl', async () => {
    const at = fleet();
    place(at.root, { allow: op, expiresAt: later(45) });
    await at.say('/pause peer');
    expect((await at.say('/pause --close')).text).toContain('while this hold is in place: op.');
    expect(at.own()).toMatchObject({ reason: 'peer', allow: null });
    expect(at.own()?.expiresAt).not.toBeNull();
    await at.say('/pause --no-ttl');
    expect(at.own()).toMatchObject({ reason: 'peer', allow: null, expiresAt: null });
    expect(at.passes('op')).toBe(false);
  });
});

describe('several holds', () => {
  it('of the root and of the profile: who passes all of them, until the latest deadline', async () => {
    const at = fleet();
    const allow = (...userIds: string[]): Allow => ({ userIds });
    place(at.root, { allow: allow('op', 'olga'), expiresAt: later(45) });
    const last = place(at.root, {
      holder: 'deploy',
      allow: allow('olga', 'op', 'ivan'),
      expiresAt: later(90),
    });
    place(at.home, { allow: allow('op', 'ivan'), expiresAt: later(60) });
    await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: op });
    expect(at.own()?.expiresAtMs).toBe(last.expiresAtMs);
    expect(['op', 'olga', 'ivan'].map(at.passes)).toEqual([true, false, false]);
  });

  it('one without a deadline leaves it none', async () => {
    const at = fleet();
    place(at.root, { allow: op });
    place(at.home, { allow: op, expiresAt: later(60) });
    const { text } = await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: op, expiresAt: null });
    expect(text).toContain('op may still pass');
    expect(text).not.toContain('--no-ttl');
  });

  it('one that lets nobody pass leaves nobody, and a deadline of all is taken over', async () => {
    const at = fleet();
    place(at.root, { allow: op, expiresAt: later(45) });
    const last = place(at.home, { expiresAt: later(60) });
    const { text } = await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: null });
    expect(at.own()?.expiresAtMs).toBe(last.expiresAtMs);
    expect(text).toContain('`/pause --no-ttl`');
    expect(text).not.toContain('--close');
  });

  it('the profiles to which an allowlist is narrowed are kept', async () => {
    const at = fleet();
    place(at.root, { allow: { userIds: ['op'], profiles: ['lane-a', 'lane-b'] } });
    await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: { userIds: ['op'], profiles: ['lane-a', 'lane-b'] } });
    expect(at.passes('op')).toBe(true);
  });

  it('an allowlist for other profiles is not said to let anybody pass here', async () => {
    const at = fleet();
    place(at.root, { allow: { userIds: ['op'], profiles: ['lane-b'] } });
    expect(at.passes('op')).toBe(false);
    const { text } = await at.say('/pause peer');
    expect(at.passes('op')).toBe(false);
    expect(text).not.toContain('may still pass');
    expect((await at.say('/pause --close')).text).not.toContain('Can no longer pass');
  });

  it("an allowlist that an older tool's body has at its top counts", async () => {
    const at = fleet();
    const body = { generation: 'g1', allow: { user_ids: ['op'] }, expires_at: later(45) };
    writeFileSync(join(at.home, 'ESTOP'), JSON.stringify(body));
    expect(at.passes('op')).toBe(true);
    await at.say('/pause peer');
    expect(at.passes('op')).toBe(true);
    expect(at.own()?.expiresAt).not.toBeNull();
  });

  it('without a generation as well: a body that somebody wrote by hand', async () => {
    const at = fleet();
    writeFileSync(join(at.home, 'ESTOP'), JSON.stringify({ allow: { user_ids: ['op'] } }));
    await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: op, expiresAt: null });
    expect(at.passes('op')).toBe(true);
  });
});

describe('nothing is taken over', () => {
  it.each<[string, (dir: string) => void]>([
    ['an empty file', (dir) => writeFileSync(join(dir, 'ESTOP'), '')],
    ['half a body', (dir) => writeFileSync(join(dir, 'ESTOP'), '{"holds":')],
    ['a folder', (dir) => mkdirSync(join(dir, 'ESTOP'))],
    ['a link to nowhere', (dir) => symlinkSync('nowhere', join(dir, 'ESTOP'))],
  ])('where a sentinel of the chain cannot be read: %s', async (_, make) => {
    const at = fleet();
    make(at.root);
    place(at.home, { allow: op, expiresAt: later(45) });
    const { text, done } = await at.say('/pause peer');
    expect(done).toBe(true);
    expect(at.own()).toMatchObject({ allow: null, expiresAt: null });
    expect(text).not.toMatch(/taken over/i);
  });

  it('where an expired sentinel that cannot be removed holds: nobody could pass it', async () => {
    const at = fleet({ disk: { ...disk, mayRemove: (path) => !path.endsWith('ESTOP') } });
    const body = { expires_at: '2020-01-01T00:00:00Z', allow: { user_ids: ['op'] } };
    writeFileSync(join(at.root, 'ESTOP'), JSON.stringify(body));
    place(at.home, { allow: op, expiresAt: later(45) });
    const { text } = await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: null, expiresAt: null });
    expect(text).not.toContain('Can no longer pass');
  });

  it('where one entry of a body cannot be read', async () => {
    const at = fleet();
    const holds = [{ id: 'h', allow: { user_ids: ['op'] }, expires_at: later(45) }, 'nonsense'];
    writeFileSync(join(at.root, 'ESTOP'), JSON.stringify({ generation: 'g', holds }));
    await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: null, expiresAt: null });
  });

  it('of a deadline that passes within a second: the hold stands until it is lifted', async () => {
    const deadlineMs = Date.now() + 45 * MINUTE_MS;
    // Only the chat's clock is ahead.
    const at = fleet({ disk: { ...disk, now: () => deadlineMs - 900 } });
    place(at.root, { allow: op, expiresAt: formatInstant(deadlineMs) });
    const { text } = await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: op, expiresAt: null });
    expect(text).toContain('until it is lifted');
  });

  it('of a hold that has expired', async () => {
    const at = fleet();
    const body = { expires_at: '2020-01-01T00:00:00Z', allow: { user_ids: ['op'] } };
    writeFileSync(join(at.root, 'ESTOP'), JSON.stringify(body));
    await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: null, expiresAt: null });
  });

  it('of the last instant there is, which no stamp of ours can say', async () => {
    const at = fleet();
    const body = { generation: 'g', expires_at: '9999-12-31T23:59:59.999999+00:00' };
    writeFileSync(join(at.root, 'ESTOP'), JSON.stringify(body));
    expect(await at.say('/pause peer')).toMatchObject({ done: true });
    expect(at.own()).toMatchObject({ expiresAt: null });
  });

  it('of a deadline that cannot be read, which never comes', async () => {
    const at = fleet();
    const body = { generation: 'g', expires_at: 'soon', allow: { user_ids: ['op'] } };
    writeFileSync(join(at.root, 'ESTOP'), JSON.stringify(body));
    await at.say('/pause peer');
    expect(at.own()).toMatchObject({ allow: op, expiresAt: null });
  });
});

describe('what cannot be taken over does not prevent the pause', () => {
  it('a deadline that passes between the look and the arm', async () => {
    let asleepMs = 0;
    const at = fleet({
      disk: {
        ...disk,
        now: () => Date.now() + asleepMs,
        // The machine sleeps for an hour before the first write.
        mkdir(...how) {
          asleepMs = 60 * MINUTE_MS;
          return disk.mkdir(...how);
        },
      },
    });
    place(at.root, { allow: op, expiresAt: later(45) });
    expect(await at.say('/pause peer')).toMatchObject({ outcome: 'paused', done: true });
    expect(at.own()).toMatchObject({ reason: 'peer', expiresAt: null });
  });

  it('a full disk: an empty file closes the profile, and the reply says for whom', async () => {
    const full: DiskPort = {
      ...disk,
      write() {
        throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      },
    };
    const at = fleet({ disk: full });
    place(at.root, { allow: op, expiresAt: later(45) });
    const { text, done } = await at.say('/pause peer');
    expect(done).toBe(true);
    expect(at.passes('op')).toBe(false);
    expect(text).toContain('Only an empty file could be placed');
    expect(text).toContain('Can no longer pass while this hold is in place: op.');
    expect(text).not.toMatch(/taken over/i);
  });
});

describe('somebody writes between the look and the arm', () => {
  /** Calls this once, after the chat has read the chain and before it writes to the profile. */
  function interfering(deed: (at: { root: string; home: string }) => void) {
    let due = true;
    const meddled: DiskPort = {
      ...disk,
      mkdir(path, ...more) {
        if (due && path.startsWith(at.home)) {
          due = false;
          deed(at);
        }
        return disk.mkdir(path, ...more);
      },
    };
    const root = makeRoot('lane-a');
    const at = { root, home: homeOf(root, 'lane-a') };
    const control = pauseCommand({ home: at.home, mayControl: () => true, disk: meddled });
    return {
      ...at,
      async say(text: string) {
        const reply = await control.handle({ text, principal: 'peer' });
        expect(due).toBe(false);
        return reply?.text ?? '';
      },
      own: () => {
        const found = check(disk, at.home);
        return found.engaged ? found.holds.find(({ holder }) => holder === 'chat') : undefined;
      },
    };
  }

  it("the chat's own hold, closed from another gateway, is not opened again", async () => {
    const at = interfering(({ home }) => place(home, { holder: 'chat', allow: null }));
    place(at.root, { allow: op, expiresAt: later(45) });
    await at.say('/pause peer');
    expect(at.own()).toMatchObject({ reason: 'peer', allow: null, expiresAt: null });
  });

  it('a hold that closes the profile is counted in', async () => {
    const at = interfering(({ home }) => place(home, { reason: 'closed' }));
    place(at.root, { allow: op, expiresAt: later(45) });
    const text = await at.say('/pause peer');
    expect(text).not.toContain('may still pass');
    expect(at.own()).toMatchObject({ allow: null, expiresAt: null });
  });

  it('an allowlist that was taken over is not said to let pass whom a new hold in the root keeps out', async () => {
    const at = interfering(({ root }) => place(root, { holder: 'deploy', reason: 'closed' }));
    place(at.root, { allow: op, expiresAt: later(45) });
    const text = await at.say('/pause peer');
    expect(text).not.toContain('may still pass');
    expect(text).toContain('taken over from the other holds (op), but nobody may pass here now');
  });
});

it('/pause status says nothing of what could be taken over, and writes nothing', async () => {
  const at = fleet();
  place(at.root, { allow: op, expiresAt: later(45) });
  const written = readFileSync(join(at.root, 'ESTOP'), 'utf8');
  const { text } = await at.say('/pause status');
  expect(text).not.toContain('--close');
  expect(at.own()).toBeUndefined();
  expect(readFileSync(join(at.root, 'ESTOP'), 'utf8')).toBe(written);
});
