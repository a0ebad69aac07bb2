/**
 * `fleet events` while there is no watcher, or one that is not as it should be; and how it ends.
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { LAUNCHER, makeFleet } from '../support/fleet.ts';
import { startFleet, startProcess, until } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';
import {
  documentsOf,
  event,
  follow,
  gap,
  heartbeat,
  says,
  scriptedWatcher,
  snapshot,
  typesOf,
  untilTypes,
} from './following.ts';

const armed = (revision: number, reason: string): string =>
  event(revision, 'hold.armed', 'root', { hold: { holder: 'sre', reason } });

describe('a watcher that is not there', () => {
  it('is waited for, and followed when it comes', async () => {
    const { root, run } = makeFleet('lane-a');
    const live = startFleet(['events', '--root', root]);
    await live.complains('no watcher answers: it does not run; waiting for it\n');
    // Spaces find out whether its reader is there.
    expect(live.stdout()).toMatch(/^ *root .*\n *$/);
    await startWatcher(root);
    await live.prints('now 0 of 1 profile paused');
    run(['pause', '--reason', 'at last']);
    await live.prints('at last');
    await live.complains('a watcher is running\n');
    expect(live.stderr().split('\n')).toHaveLength(3);
    expect(live.stdout()).not.toContain('gap');
  });

  it('is not waited for with --no-wait, at the start or later', async () => {
    const { root, run } = makeFleet('lane-a');
    const { code, stderr } = run(['events', '--no-wait']);
    expect(code).toBe(3);
    expect(stderr).toBe('no events: no watcher answers: it does not run\n');
    const watcher = await startWatcher(root);
    const live = await follow(root, '--no-wait');
    watcher.signal('SIGKILL');
    expect(await live.ended).toEqual({ code: 3, signal: null });
  });

  it('that was killed and started again is followed on, after a gap that is said', async () => {
    const { root, run } = makeFleet('lane-a');
    const first = await startWatcher(root);
    const text = await follow(root);
    const json = await follow(root, '--json', '--recent', '1');
    run(['pause', '-p', 'lane-a', '--reason', 'before']);
    await text.prints('before');
    await untilTypes(json, 'profile.paused');
    first.signal('SIGKILL');
    await text.complains('the watcher is gone; waiting for it\n');
    run(['resume', '-p', 'lane-a']);
    run(['pause', '--reason', 'meanwhile']);
    await startWatcher(root);
    await text.prints('gap');
    await untilTypes(json, 'gap');
    run(['pause', '-p', 'lane-a', '--reason', 'afterwards']);
    await text.prints('afterwards');
    await until(() => json.stdout().includes('afterwards'));

    await text.complains('the watcher is back\n');
    expect(text.stdout()).toMatch(
      /gap +events may be missing: the watcher was restarted.*; now 1 of 1 profile paused; the root held\n/,
    );
    expect(text.stdout()).not.toContain('meanwhile;');
    expect(text.stderr()).toBe('the watcher is gone; waiting for it\nthe watcher is back\n');
    const documents = documentsOf(json);
    const at = documents.findIndex(({ type }) => type === 'gap');
    const said = documents[at];
    expect(said).toEqual({
      type: 'gap',
      time: expect.any(String),
      after: documents[at - 1].id,
      why: 'another-run',
      id: expect.stringMatching(/^[0-9a-z]+-\d+$/),
      profiles: 1,
      profiles_paused: 1,
      held_by: ['root'],
      unreadable: 0,
    });
    expect(documents.filter(({ type }) => type === 'gap')).toHaveLength(1);
    expect(documents.slice(at + 1).map(({ epoch }) => epoch)).toEqual(
      documents.slice(at + 1).map(() => said.id.split('-')[0]),
    );
  });
});

describe('a stream that is not as it should be', () => {
  it('is asked for again after what was seen last, when it ends', async () => {
    const { root } = makeFleet('lane-a');
    const ends = (response: ServerResponse) => {
      says(snapshot('e-7'), armed(9, 'one'), armed(8, 'older'))(response);
      response.end();
    };
    const watcher = await scriptedWatcher(root, ends, says(heartbeat(), armed(10, 'two')));
    const live = await follow(root, '--json', '--recent', '3');
    await until(() => typesOf(live).length >= 3);
    const [first, second] = watcher.requests;
    expect([first?.url, first?.headers['last-event-id']]).toEqual([
      '/v1/events?recent=3',
      undefined,
    ]);
    expect([second?.url, second?.headers['last-event-id']]).toEqual(['/v1/events', 'e-9']);
    // It was there all the time.
    expect(live.stderr()).toBe('');
  });

  it('is given up and asked for again when it is silent past three heartbeats', async () => {
    const { root } = makeFleet('lane-a');
    const watcher = await scriptedWatcher(
      root,
      says(snapshot(), heartbeat(100)),
      says(heartbeat(100), armed(2, 'heard again')),
    );
    const live = await follow(root);
    await live.complains('the watcher is silent; waiting for it\n');
    await live.complains('the watcher is back\n');
    await live.prints('heard again');
    expect(watcher.requests[1]?.headers['last-event-id']).toBe('e-1');
    expect(watcher.streams.size).toBeLessThanOrEqual(1);
  });

  it('is not given up while its heart beats', async () => {
    const { root } = makeFleet('lane-a');
    const watcher = await scriptedWatcher(root, (response) => {
      says(snapshot(), heartbeat(400))(response);
      let beats = 0;
      const timer = setInterval(() => {
        beats += 1;
        response.write(beats === 12 ? armed(2, 'after all that') : heartbeat(400));
        if (beats === 12) clearInterval(timer);
      }, 150);
      response.on('close', () => clearInterval(timer));
    });
    const live = await follow(root);
    await live.prints('after all that');
    expect(watcher.requests).toHaveLength(1);
    expect(live.stderr()).toBe('');
  });

  it('is not taken for silent where the reader itself was stopped', async () => {
    const { root } = makeFleet('lane-a');
    let beat: NodeJS.Timeout | undefined;
    const watcher = await scriptedWatcher(root, (response) => {
      says(snapshot(), heartbeat(500))(response);
      beat = setInterval(() => response.write(heartbeat(500)), 100);
      response.on('close', () => clearInterval(beat));
    });
    const live = await follow(root);
    live.signal('SIGSTOP');
    // Longer than three heartbeats, and so much longer that it knows it was stopped.
    const startedAt = performance.now();
    await until(() => performance.now() - startedAt > 2_500);
    live.signal('SIGCONT');
    for (const response of watcher.streams) response.write(armed(2, 'read afterwards'));
    await live.prints('read afterwards');
    expect(watcher.requests).toHaveLength(1);
  });

  it('is tried again where there is no room, and refused where there are no events', async () => {
    const full = (response: ServerResponse) => response.writeHead(503).end('{}');
    const { root } = makeFleet('lane-a');
    await scriptedWatcher(root, full, full, says(snapshot(), heartbeat(), armed(2, 'let in')));
    const live = await follow(root);
    await live.prints('let in');
    await live.complains('a watcher is running\n');
    expect(live.stderr()).toMatch(
      /^the watcher accepts no more streams now \(status 503\); waiting for it\n/,
    );

    const other = makeFleet('lane-a');
    await scriptedWatcher(other.root, (response) => response.writeHead(404).end());
    const refused = startFleet(['events', '--root', other.root]);
    expect(await refused.ended).toEqual({ code: 3, signal: null });
    expect(refused.stderr()).toContain('no events: the event stream was refused');
  });

  it('that says what cannot be understood costs that message, and no other', async () => {
    const { root } = makeFleet('lane-a');
    await scriptedWatcher(
      root,
      says(
        snapshot(),
        heartbeat(),
        'data: no json\n\n',
        'data: [1]\n\n',
        'data: {"specversion":"0.3","id":"e-2","type":"hold.armed"}\n\n',
        'event: weather\ndata: {"rain":true}\n\n',
        'event: snapshot\ndata: {"profiles":"all"}\n\n',
        armed(3, 'understood'),
      ),
    );
    const live = await follow(root);
    await live.prints('understood');
    await live.complains('\n');
    expect(live.stderr()).toBe('skipped a message of the watcher that is not understood\n');
    expect(live.stdout().split('\n')).toHaveLength(4);
  });

  it('has a gap all the same where the state after it is not understood', async () => {
    const { root } = makeFleet('lane-a');
    const broken = 'event: snapshot\nid: e-5\ndata: {"profiles":"all"}\n\n';
    await scriptedWatcher(root, says(gap('x-1', 'new\u001b[2J'), broken, armed(6, 'go on')));
    const live = startFleet(['events', '--root', root]);
    await live.prints('go on');
    expect(live.stdout()).toMatch(
      /gap +events may be missing: new\\u\{1b\}\[2J; the current state was not understood/,
    );
    await live.complains('a message of the watcher that is not understood');
  });

  it('says a gap whatever is asked for', async () => {
    const { root } = makeFleet('lane-a');
    await scriptedWatcher(root, says(gap('x-1', 'too-old'), snapshot('e-5'), heartbeat()));
    const live = startFleet([
      ...['events', '--root', root, '--json', '--since', 'x-1'],
      ...['--type', 'profile.paused', '-p', 'lane-a'],
    ]);
    await untilTypes(live, 'gap');
    expect(documentsOf(live)).toMatchObject([{ type: 'gap', after: 'x-1', why: 'too-old' }]);
  });
});

describe('the end', () => {
  it('by Ctrl-C is a success, while it follows and while it waits', async () => {
    const { root } = makeFleet('lane-a');
    const waiting = startFleet(['events', '--root', root]);
    await waiting.complains('waiting for it');
    waiting.signal('SIGINT');
    expect(await waiting.ended).toEqual({ code: 0, signal: null });
    await startWatcher(root);
    const live = await follow(root);
    live.signal('SIGINT');
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.stderr()).toBe('');
  });

  it('by another signal is that signal', async () => {
    const { root } = makeFleet('lane-a');
    await startWatcher(root);
    const live = await follow(root);
    live.signal('SIGTERM');
    expect(await live.ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('by a reader that goes away is quiet, and a success', async () => {
    const { root, run } = makeFleet('lane-a');
    await startWatcher(root);
    const line = `"$@" | head -1; echo "ended \${PIPESTATUS[0]}"`;
    const words = [process.execPath, LAUNCHER, 'events', '--root', root, '--json'];
    const live = startProcess('bash', ['-c', line, 'bash', ...words]);
    await until(() => {
      run(['pause']);
      run(['resume']);
      return /^ended/m.test(live.stdout());
    });
    // It writes spaces to find out whether its reader is there.
    expect(live.stdout()).toMatch(/^ *\{.*\}\nended 0\n$/);
    expect(live.stderr()).not.toMatch(/EPIPE|no events|watcher/);
  });
});
