/**
 * What answers at the watcher's socket is not believed to be a watcher: it is bounded in size and time,
 * parsed narrowly, and never shown raw.
 */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { parseState } from '../../src/watcher-client/state.ts';
import { makeFleet, UNSAFE } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';
import { saidWatcher, stateText } from '../support/said-watcher.ts';

const lane = (more: object = {}) => ({
  name: 'lane-a',
  engaged: false,
  own: null,
  revision: 3,
  ...more,
});
const served = (more: object = {}) => ({
  name: 'lane-a',
  doors: [],
  in_flight: 0,
  refused: 0,
  acknowledged: 3,
  acknowledged_at: null,
  ...more,
});
const gateway = (more: object = {}) => ({
  instance: 'i',
  pid: 1,
  software: 's',
  link: 'acknowledged',
  profiles: [served()],
  ...more,
});

async function statusOf(answer: (response: ServerResponse) => void) {
  const fleet = makeFleet('lane-a');
  await saidWatcher(fleet.root, (_request, response) => answer(response));
  const live = startFleet(['status', '--root', fleet.root]);
  const { code } = await live.ended;
  return { code, stdout: live.stdout() };
}

describe('an answer that is none', () => {
  const answers: [string, (response: ServerResponse) => void, RegExp][] = [
    ['no JSON', (r) => r.end('{"schema"'), /not understood \(status 200\)/],
    ['another document', (r) => r.end('{"schema":"fleet/gateways/v1"}'), /not understood/],
    ['an error', (r) => r.writeHead(500).end('{}'), /not understood \(status 500\)/],
    ['"not modified", unasked', (r) => r.writeHead(304).end(), /not understood \(status 304\)/],
    ['half of one', (r) => r.write('{', () => r.destroy()), /ended before/],
    ['nothing', () => {}, /has not answered in 1000 ms/],
    ['one that never ends', (r) => void r.write('{'), /has not answered in 1000 ms/],
    ['a hang-up', (r) => r.destroy(), /ended before it answered/],
  ];
  it.each(answers)(
    '%s is no watcher, and the status is what the disk says',
    async (_, answer, why) => {
      const { code, stdout } = await statusOf(answer);
      expect(code).toBe(0);
      expect(stdout).toContain('running: nothing holds the root or 1 profile\n');
      expect(stdout).toMatch(why);
      expect(stdout).toContain('acknowledgements are unknown');
    },
  );

  it('one that is too long is given up before it fills the memory', async () => {
    const block = Buffer.alloc(1024 * 1024, ' ');
    let sent = 0;
    const { stdout } = await statusOf((response) => {
      const more = (): void => {
        sent += block.length;
        if (!response.destroyed) response.write(block, more);
      };
      more();
    });
    expect(stdout).toMatch(/its answer is over 67108864 bytes|has not answered in 1000 ms/);
    expect(sent).toBeLessThan(80 * 1024 * 1024);
  });
});

describe('text of gateways', () => {
  const HOSTILE = '\u001b[2Jsample\u202e\n::error::x';

  it('is never shown raw, and never long', async () => {
    const fleet = makeFleet('lane-a');
    const gateways = [
      gateway({ software: HOSTILE, instance: 'x'.repeat(60_000), link: 'connected' }),
      gateway({ pid: 2, link: 'gone', profiles: [served({ name: HOSTILE.repeat(3_000) })] }),
    ];
    await saidWatcher(fleet.root, (_request, response) =>
      response.end(stateText({ profiles: [lane({ revision: 4 })], gateways })),
    );
    for (const words of [
      ['explain', '-p', 'lane-a'],
      ['status'],
      ['status', '--json'],
      ['assert', 'acknowledged'],
      ['assert', 'acknowledged', '--format', 'github'],
      ['resume', '--wait', '--timeout', '1s'],
    ]) {
      const live = startFleet([...words, '--root', fleet.root]);
      await live.ended;
      const text = live.stdout() + live.stderr();
      expect(text.replaceAll('\n', ''), words.join(' ')).not.toMatch(UNSAFE);
      expect(text, words.join(' ')).not.toMatch(/^::error::x/m);
      if (!words.includes('--json')) expect(text.length).toBeLessThan(2_000);
    }
  });
});

describe('a document', () => {
  const parsed = (more: object) => parseState(stateText(more));

  it('is understood as a watcher writes it, also where it does not say when', () => {
    const old = gateway({ profiles: [served({ acknowledged_at: undefined })] });
    expect(parsed({ profiles: [lane()], gateways: [old], unknown: 'key' })?.gateways).toMatchObject(
      [
        {
          instance: 'i',
          lastSeenAtMs: null,
          returning: false,
          profiles: [{ acknowledged: 3, acknowledgedAtMs: null }],
        },
      ],
    );
  });

  it.each([
    ['a list', { epoch: [] }],
    ['no revision', { profiles: [lane({ revision: null })] }],
    ['a negative revision', { profiles: [lane({ revision: -1 })] }],
    [
      'a number that is none',
      { gateways: [gateway({ profiles: [served({ in_flight: 1e300 })] })] },
    ],
    [
      'an acknowledgement in words',
      { gateways: [gateway({ profiles: [served({ acknowledged: '3' })] })] },
    ],
    ['an unknown link', { gateways: [gateway({ link: 'fine' })] }],
    ['a scope of no kind', { scopes: [{ kind: 'moon', holds: [], generation: null }] }],
    ['a hold without id', { scopes: [{ kind: 'root', holds: [{}], generation: null }] }],
    ['no gateways at all', { gateways: null }],
    ['what cannot be read, without why', { unreadable: [{ what: 'profiles' }] }],
  ])('with %s in it is not understood, and nothing is taken from it', (_, more) => {
    expect(parsed(more)).toBeNull();
  });
});
