/**
 * The deadline of a window's hold: moved on while the command lives, and left to lift it when the
 * window itself is killed or stopped.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { exists, makeFleet } from '../support/fleet.ts';
import { holdOfWindow, holdsOf, startFleet, until } from '../support/live.ts';

const waiting = (root: string, words: readonly string[] = []) =>
  startFleet(['window', '--root', root, ...words, '--', 'sh', '-c', 'echo ready; cat']);

const expiryOf = (path: string): number => Date.parse(holdsOf(path)?.[0]?.expires_at ?? '');

describe('renewal', () => {
  it('a job three times as long as its ttl is held all the way', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '2s']);
    await live.prints('ready');
    const first = await holdOfWindow(sentinel());
    const seen = new Set<string>([first.id]);
    await until(() => {
      const [hold] = holdsOf(sentinel()) ?? [];
      // Never absent, and never past its deadline.
      expect(hold?.holder).toBe(first.holder);
      expect(Date.parse(hold.expires_at)).toBeGreaterThan(Date.now());
      seen.add(hold.id);
      return Date.now() > Date.parse(first.expires_at) + 4_000;
    });
    expect(seen.size).toBeGreaterThanOrEqual(6);
    expect(run(['assert', 'paused']).code).toBe(0);
    const last = await holdOfWindow(sentinel());
    expect(last).toMatchObject({ reason: first.reason, engaged_at: first.engaged_at });
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(live.stderr()).not.toContain('OPEN');
    expect(exists(sentinel())).toBe(false);
  });

  it('a deadline that somebody moved nearer is moved on again at once', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '1h']);
    await live.prints('ready');
    const { holder } = await holdOfWindow(sentinel());
    expect(run(['extend', '--as', holder, '--ttl', '1m', '--shorten']).code).toBe(0);
    await until(() => expiryOf(sentinel()) > Date.now() + 3_000_000);
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(live.stderr()).not.toContain('OPEN');
    expect(exists(sentinel())).toBe(false);
  });

  it('a deadline that somebody moved further is not moved back', async () => {
    const { root, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '2s']);
    await live.prints('ready');
    const body = JSON.parse(readFileSync(sentinel(), 'utf8'));
    body.holds[0].expires_at = '2999-01-01T00:00:00+00:00';
    body.expires_at = '2999-01-01T00:00:00+00:00';
    const text = JSON.stringify(body);
    writeFileSync(sentinel(), text);
    // Past two of its renewals.
    await until(() => Date.now() > Date.parse(body.holds[0].engaged_at) + 2_000);
    expect(readFileSync(sentinel(), 'utf8')).toBe(text);
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });
});

describe('kill -9', () => {
  it('leaves the hold with its deadline, which lifts it', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '3s']);
    await live.prints('ready');
    live.signal('SIGKILL');
    await until(() => !isAlive(live.pid));
    const hold = await holdOfWindow(sentinel());
    expect(run(['assert', 'paused']).code).toBe(0);
    await until(() => Date.now() > Date.parse(hold.expires_at));
    expect(run(['assert', 'running']).code).toBe(0);
    live.endInput();
    expect(await live.ended).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

describe('a window that is stopped past its own deadline', () => {
  it('says on waking for how long it stood open, arms again, and lifts that at the end', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '2s']);
    await live.prints('ready');
    live.signal('SIGSTOP');
    const hold = await holdOfWindow(sentinel());
    const deadlineMs = Date.parse(hold.expires_at);
    await until(() => Date.now() > deadlineMs + 1_000);
    expect(run(['assert', 'running']).code).toBe(0);
    const openMs = Date.now() - deadlineMs;
    live.signal('SIGCONT');
    await live.complains('armed again');
    const again = await holdOfWindow(sentinel());
    expect(again.holder).toBe(hold.holder);
    expect(Date.parse(again.expires_at)).toBeGreaterThan(Date.now());
    const seconds = Number(/STOOD OPEN for (\d+)s/.exec(live.stderr())?.[1]);
    expect(seconds).toBeGreaterThanOrEqual(Math.floor(openMs / 1000));
    expect(seconds).toBeLessThanOrEqual(Math.ceil((Date.now() - deadlineMs) / 1000));
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });

  it('and woken before it renews, and says nothing', async () => {
    const { root, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '6s']);
    await live.prints('ready');
    live.signal('SIGSTOP');
    const hold = await holdOfWindow(sentinel());
    await until(() => Date.now() > Date.parse(hold.expires_at) - 3_000);
    live.signal('SIGCONT');
    await until(() => expiryOf(sentinel()) > Date.parse(hold.expires_at));
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(live.stderr()).not.toContain('OPEN');
  });

  it('it does not take a hold that somebody placed under its name meanwhile', async () => {
    const { root, run, sentinel } = makeFleet();
    const live = waiting(root, ['--ttl', '2s', '--as', 'deploy']);
    await live.prints('ready');
    live.signal('SIGSTOP');
    await until(() => Date.now() > expiryOf(sentinel()));
    run(['pause', '--as', 'deploy', '--reason', 'theirs']);
    live.signal('SIGCONT');
    await live.complains('cannot be placed again');
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(holdsOf(sentinel())).toMatchObject([{ holder: 'deploy', reason: 'theirs' }]);
    expect(holdsOf(sentinel())).toHaveLength(1);
  });

  it('with its command gone meanwhile, it passes the status on and leaves nothing', async () => {
    const { root, sentinel } = makeFleet();
    const live = startFleet([
      'window',
      '--root',
      root,
      '--ttl',
      '2s',
      '--',
      'sh',
      '-c',
      'echo ready; cat; exit 6',
    ]);
    await live.prints('ready');
    live.signal('SIGSTOP');
    live.endInput();
    await until(() => Date.now() > expiryOf(sentinel()));
    live.signal('SIGCONT');
    expect((await live.ended).code).toBe(6);
    expect(live.stderr()).toContain('STOOD OPEN');
    expect(exists(sentinel())).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
