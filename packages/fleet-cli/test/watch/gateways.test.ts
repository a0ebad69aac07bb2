/**
 * What `fleet status --watch` shows of gateways: what `fleet status` does, kept current; and that it is
 * not known, from when the watcher goes until it comes.
 */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Document, makeFleet } from '../support/fleet.ts';
import { startGateway } from '../support/gateways.ts';
import { type Live, startFleet, until } from '../support/live.ts';
import { saidWatcher, stateText } from '../support/said-watcher.ts';
import { startInTerminal } from '../support/terminal.ts';
import { startNewWatcher, startWatcher } from '../support/watcher.ts';
import { NOTICED_MS, untilItWatches } from '../support/watching.ts';

const isSuperuser = process.getuid?.() === 0;

const documentsOf = (live: Live): Document[] =>
  live
    .stdout()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

const lastOf = (live: Live): Document => documentsOf(live).at(-1);

const untilLast = (live: Live, isSo: (document: Document) => boolean): Promise<void> =>
  until(() => {
    const document = lastOf(live);
    return document !== undefined && isSo(document);
  });

const watching = (root: string, ...words: readonly string[]): Live =>
  startFleet(['status', '--root', root, '--watch', ...words]);

const isAcknowledged = ({ lanes: [lane] }: Document): boolean =>
  lane.gateways?.[0]?.standing === 'acknowledged';

const ALL = (count: number): string => `acknowledged by every connected gateway: ${count}`;
const NO_WATCHER = 'acknowledgements are unknown: no watcher runs';

describe('--json', () => {
  it('has gateways as `fleet status --json` has them, each time that they are others', async () => {
    const fleet = makeFleet('lane-a');
    const live = watching(fleet.root, '--json');
    await until(() => documentsOf(live).length > 0);
    expect(documentsOf(live)).toMatchObject([
      { watcher: { reached: false, why: 'it does not run' }, lanes: [{ gateways: null }] },
    ]);
    await startWatcher(fleet.root);
    await untilLast(live, ({ watcher }) => watcher.reached);
    const gateway = await startGateway(fleet.root, 'g', ['lane-a', 'default']);
    await untilLast(live, ({ lanes }) => lanes.length === 2 && lanes[0].gateways?.length === 1);
    await untilLast(live, isAcknowledged);
    const before = lastOf(live);
    fleet.run(['pause', '--wait']);
    await untilLast(live, (last) => last.state === 'paused' && isAcknowledged(last));
    expect(lastOf(live)).toEqual(fleet.json(['status']).document);
    expect(lastOf(live).lanes[0].revision).toBeGreaterThan(before.lanes[0].revision);
    await gateway.killed();
    await untilLast(live, ({ lanes: [lane] }) => lane.gateways?.[0]?.link === 'gone');
    expect(live.stderr()).toBe('');
  });

  it('says when the watcher is gone, and when another is there', async () => {
    const fleet = makeFleet('lane-a');
    const first = await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const live = watching(fleet.root, '--json');
    await untilLast(live, isAcknowledged);
    const { epoch } = lastOf(live).watcher;
    first.signal('SIGKILL');
    await untilLast(live, ({ watcher }) => !watcher.reached);
    expect(lastOf(live)).toMatchObject({
      watcher: { reached: false, epoch: null },
      lanes: [{ gateways: null, gateway_absent: null, revision: null }],
    });
    await startWatcher(fleet.root);
    await untilLast(live, isAcknowledged);
    expect(lastOf(live).watcher).toMatchObject({ reached: true, why: null });
    expect(lastOf(live).watcher.epoch).not.toBe(epoch);
  });
});

describe('text', () => {
  it('is a new block when gateways have acknowledged, or no watcher runs any more', async () => {
    const fleet = makeFleet('lane-a');
    const live = watching(fleet.root);
    await live.prints(`${NO_WATCHER}\n`);
    const watcher = await startWatcher(fleet.root);
    await live.prints('no gateway is connected to the watcher\n');
    await startGateway(fleet.root, 'g', ['lane-a']);
    await live.prints(`${ALL(1)}\n`);
    fleet.run(['pause', '-p', 'lane-a', '--reason', 'x', '--wait']);
    // Spaces after a block are the probe of whether the reader is still there.
    const written = () => live.stdout().trimEnd();
    await until(() => /lane-a +paused .* 1\/1\n\nacknowledged by every.*$/.test(written()));
    watcher.signal('SIGTERM');
    await until(() => written().endsWith(NO_WATCHER));
    const blocks = written().split(/\n *\n(?=at )/);
    const shown = blocks.map((block) => block.replace(/^at .*\n/, ''));
    // Each says something else than the one before.
    shown.forEach((block, at) => {
      expect(block).not.toBe(shown[at - 1]);
    });
  });

  it('does not believe a watcher that is stopped, and says why, until it answers again', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const live = watching(fleet.root);
    await live.prints(`${ALL(1)}\n`);
    watcher.signal('SIGSTOP');
    fleet.run(['pause', '-p', 'lane-a', '--reason', 'unseen']);
    await live.prints('cannot be asked: it has not answered in');
    const told = live.stdout();
    expect(told.slice(told.indexOf('unseen'))).not.toContain(ALL(1));
    watcher.signal('SIGCONT');
    await until(() => live.stdout().slice(told.length).includes(ALL(1)));
  });

  it('says that others may be coming back, as long as the watcher is new', async () => {
    const { root } = makeFleet('lane-a');
    const live = watching(root);
    await live.prints(NO_WATCHER);
    await startNewWatcher(root);
    await live.prints(
      'no gateway is connected to the watcher\nthe watcher has just started: gateways may still be reconnecting\n',
    );
    await until(() => live.stdout().trimEnd().endsWith('no gateway is connected to the watcher'));
  });
});

describe('on a terminal', () => {
  it('what is said of gateways stays in sight, however small the window is', async () => {
    const lanes = Array.from({ length: 30 }, (_, at) => `lane-${at}`);
    const { root } = makeFleet(...lanes);
    const terminal = startInTerminal(['status', '--root', root, '--watch'], {
      rows: 10,
      columns: 80,
    });
    await terminal.shows(new RegExp(`^running: .*\n${NO_WATCHER}\n.* more: a taller window`, 's'));
    const watcher = await startWatcher(root);
    await startGateway(root, 'g', ['lane-0']);
    await terminal.shows(
      new RegExp(`\n${ALL(1)}; no gateway serves 29 of 30 profiles\n.* more: a taller window`),
    );
    expect(terminal.screen()).toHaveLength(10);
    watcher.signal('SIGKILL');
    await terminal.shows(new RegExp(`\n${NO_WATCHER}\n`));
  });
});

describe('what the watcher is asked, and how often', () => {
  const lane = { name: 'lane-a', engaged: false, own: null, revision: 3 };
  const gateway = (inFlight: number, software = 's') => ({
    instance: 'g',
    pid: 7,
    software,
    link: 'acknowledged',
    last_seen_at: new Date().toISOString(),
    profiles: [{ name: 'lane-a', in_flight: inFlight, acknowledged: 3, acknowledged_at: null }],
  });
  let revision = 0;
  const event = () => {
    revision += 1;
    const envelope = {
      specversion: '1.0',
      id: `e1-${revision}`,
      type: 'gateway.acknowledged',
      subject: 'gateway/g',
      time: new Date().toISOString(),
      data: {},
    };
    return `id: e1-${revision}\ndata: ${JSON.stringify(envelope)}\n\n`;
  };

  interface Saying {
    readonly servesEvents?: boolean;
    readonly words?: readonly string[];
  }
  async function asked(
    gateways: () => readonly object[],
    { servesEvents = true, words = ['--json'] }: Saying = {},
  ) {
    const fleet = makeFleet('lane-a');
    const counts = { state: 0, events: 0 };
    const streams: ServerResponse[] = [];
    let isFull = false;
    let isSilent = false;
    await saidWatcher(fleet.root, ({ url }, response) => {
      if (url?.startsWith('/v1/events') !== true) {
        counts.state += 1;
        if (isSilent) return;
        response.end(stateText({ profiles: [lane], gateways: gateways() }));
        return;
      }
      counts.events += 1;
      if (!servesEvents || isFull) {
        response.writeHead(isFull ? 503 : 404).end();
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': here\n\n');
      streams.push(response);
    });
    const live = watching(fleet.root, ...words);
    await live.prints('lane-a');
    if (servesEvents) await until(() => streams.length > 0);
    const say = (count: number): void => {
      for (let said = 0; said < count; said += 1) streams.at(-1)?.write(event());
    };
    const letNobodyIn = (): void => {
      isFull = true;
      for (const stream of streams) stream.destroy();
    };
    const fallSilent = (): void => {
      isSilent = true;
    };
    return { fleet, live, counts, say, letNobodyIn, fallSilent };
  }

  it('many events are few questions', async () => {
    let software = 'old';
    const { live, counts, say } = await asked(() => [gateway(0, software)]);
    const before = counts.state;
    const began = performance.now();
    for (let burst = 0; burst < 10; burst += 1) {
      say(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
    software = 'new';
    say(1);
    await untilLast(live, ({ lanes }) => lanes[0].gateways[0].software === 'new');
    const most = 2 + (performance.now() - began) / 100;
    expect(counts.state - before).toBeLessThanOrEqual(most);
  });

  it('work in hand alone is no new state', async () => {
    let inFlight = 0;
    let software = 'old';
    const { live, counts, say } = await asked(() => [gateway(inFlight++, software)]);
    for (let times = 0; times < 3; times += 1) {
      const before = counts.state;
      say(1);
      await until(() => counts.state > before);
    }
    software = 'new';
    say(1);
    await untilLast(live, ({ lanes }) => lanes[0].gateways[0].software === 'new');
    expect(documentsOf(live)).toHaveLength(2);
    expect(lastOf(live).lanes[0].gateways[0].in_flight).toBeGreaterThan(3);
  });

  it('what text does not show of gateways is no new block', async () => {
    let there = [gateway(0, 'old')];
    const { live, counts, say } = await asked(() => there, { words: [] });
    there = [gateway(0, 'new')];
    const before = counts.state;
    say(1);
    // The answer to the next question is that the one before has been seen to.
    await until(() => counts.state > before);
    there = [gateway(0, 'new'), { ...gateway(0, 'other'), pid: 8 }];
    say(1);
    await live.prints(ALL(2));
    expect(live.stdout().match(/^at /gm)).toHaveLength(2);
  });

  it('one that serves no events is asked now and then, and its events not again', async () => {
    let software = 'old';
    const { live, counts } = await asked(() => [gateway(0, software)], { servesEvents: false });
    await until(() => counts.events > 0);
    software = 'new';
    await untilLast(live, ({ lanes }) => lanes[0].gateways[0].software === 'new');
    expect(counts.events).toBe(1);
  });

  it('the end of its events is a reason to ask', async () => {
    const { counts, letNobodyIn } = await asked(() => [gateway(0)]);
    // Before the first look, and after it.
    await until(() => counts.state === 2);
    const endedAt = performance.now();
    letNobodyIn();
    await until(() => counts.state > 2);
    expect(performance.now() - endedAt).toBeLessThan(NOTICED_MS);
  });

  it('a change on disk is a reason to ask, before any event says so', async () => {
    const { fleet, live, counts } = await asked(() => [gateway(0)]);
    await untilItWatches(live.pid, 2);
    await until(() => counts.state >= 2);
    const before = counts.state;
    const pausedAt = performance.now();
    fleet.run(['pause', '-p', 'lane-a']);
    await until(() => counts.state > before);
    expect(performance.now() - pausedAt).toBeLessThan(NOTICED_MS);
    await untilLast(live, ({ profiles_paused: paused }) => paused === 1);
    // Its answer is of before: nobody has acknowledged this.
    expect(lastOf(live).lanes[0]).toMatchObject({
      revision: null,
      gateways: [{ standing: 'silent' }],
    });
  });

  it('an answer from before a pause says nothing of who has acknowledged its end', async () => {
    const { fleet, live, counts, fallSilent } = await asked(() => [gateway(0)]);
    await until(() => counts.state === 2 && documentsOf(live).length === 1);
    await untilItWatches(live.pid, 2);
    fallSilent();
    fleet.run(['pause', '-p', 'lane-a']);
    await untilLast(live, ({ profiles_paused: paused }) => paused === 1);
    fleet.run(['resume', '-p', 'lane-a']);
    await untilLast(live, ({ profiles_paused: paused }) => paused === 0);
    const told = documentsOf(live).map(({ lanes: [{ state, revision, gateways }] }) => [
      state,
      revision,
      gateways[0].standing,
    ]);
    expect(told).toEqual([
      ['free', 3, 'acknowledged'],
      ['paused', null, 'silent'],
      ['free', null, 'silent'],
    ]);
  });

  it('a profile that came after the answer is not one where no gateway is expected', async () => {
    const { fleet, live, counts, fallSilent } = await asked(() => [gateway(0)]);
    await until(() => counts.state === 2 && documentsOf(live).length === 1);
    await untilItWatches(live.pid, 2);
    fallSilent();
    const staged = join(fleet.root, 'staged');
    mkdirSync(staged);
    writeFileSync(join(staged, 'profile.yaml'), 'version: 1\ngateway: {expected: true}\n');
    renameSync(staged, join(fleet.root, 'profiles', 'lane-b'));
    await untilLast(live, ({ profiles }) => profiles === 2);
    expect(lastOf(live).lanes).toMatchObject([
      { profile: 'lane-a', gateway_absent: false, revision: 3 },
      { profile: 'lane-b', gateway_absent: null, gateways: null, revision: null },
    ]);
  });

  it.skipIf(!isSuperuser)('one that this user may not ask is said to be (needs root)', async () => {
    const { root } = makeFleet('lane-a');
    await startWatcher(root);
    const live = startFleet(['status', '--root', root, '--watch'], { uid: 65_534 });
    await live.prints('the watcher cannot be asked: this user may not ask it (EACCES)');
  });
});
