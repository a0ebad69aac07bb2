/**
 * A gateway whose connection ended a moment ago may be about to connect again: it is not left out before
 * it had time to. One that is killed looks the same, for as long. After a start of the watcher this is
 * `just-started.test.ts`.
 */
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { startGateway, untilGateway } from '../support/gateways.ts';
import { startFleet } from '../support/live.ts';
import { olderStateText, saidWatcher, stateText } from '../support/said-watcher.ts';
import { startWatcher } from '../support/watcher.ts';

/** Stands between a gateway and the watcher, and can be cut. */
async function proxyOf(root: string) {
  const path = join(root, '.fleet', 'proxy.sock');
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connect(join(root, '.fleet', 'watcher.sock'));
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  onTestFinished(() => {
    cut();
    server.close();
  });
  return {
    path,
    cut,
    mend() {
      isCut = false;
    },
  };
}

describe('a wait that begins between two connections of a gateway', () => {
  it('says for whom it waits, and ends when that one is back and has acknowledged', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'steady', ['lane-a']);
    const proxy = await proxyOf(fleet.root);
    await startGateway(fleet.root, 'cut', ['lane-a'], { SOCKET: proxy.path });
    proxy.cut();
    await untilGateway(fleet.root, 'cut', ({ link }) => link === 'gone');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
    await live.complains('waiting for gateways');
    expect(live.stderr()).toMatch(
      /Ctrl-C ends only the waiting\): a gateway of lane-a, last heard \d+s ago, disconnected and may reconnect\n$/,
    );
    proxy.mend();
    expect(await live.ended).toEqual({ code: 0, signal: null });
    expect(live.stdout()).toContain('ACKNOWLEDGED by all 2 gateways');
  });
});

describe('a gateway that was killed', () => {
  it('is waited for as one that may come back, where it counts, and after that it is gone', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    await startGateway(fleet.root, 'g', ['lane-a']);
    const killed = await startGateway(fleet.root, 'killed', ['lane-b']);
    await killed.killed();
    await untilGateway(fleet.root, 'killed', ({ link }) => link === 'gone');

    const some = fleet.json(['pause', '-p', 'lane-a', '--wait', '--timeout', '1s']);
    expect(some.code).toBe(0);
    expect(some.document.wait.gateways_unknown).toBe(false);

    const all = fleet.json(['pause', '--wait', '--timeout', '1s']);
    expect(all.code).toBe(4);
    expect(all.document.wait).toMatchObject({
      outcome: 'partial',
      gateways: [{ instance: 'g', standing: 'acknowledged' }],
      gateways_unknown: true,
    });

    const { code, stdout, stderr } = fleet.run(['assert', 'acknowledged']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^ok +lane-a +acknowledged by 1 of 1\n/);
    expect(stdout).toMatch(/^\?{4} +lane-b +no gateway is connected; a gateway of lane-b, last/m);
    expect(stderr).toMatch(
      /^lane-b: unknown: a gateway of lane-b, last heard \d+s ago, disconnected and may reconnect\n$/,
    );

    const later = fleet.json(['assert', 'acknowledged', '--within', '20s']);
    expect(later.code).toBe(0);
    expect(later.document.judgements).toMatchObject([{ verdict: 'pass' }, { verdict: 'none' }]);
    expect(fleet.json(['pause', '--wait'])).toMatchObject({
      code: 0,
      document: { wait: { unserved: ['lane-b'], gateways_unknown: false } },
    });
  });

  it('counts where it served the root, though nobody serves that as a profile any more', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const killed = await startGateway(fleet.root, 'killed', ['default']);
    await killed.killed();
    await untilGateway(fleet.root, 'killed', ({ link }) => link === 'gone');
    const { code, stderr } = fleet.run(['assert', 'acknowledged']);
    expect(code).toBe(3);
    expect(stderr).toMatch(/^default: unknown: a gateway of default, last heard/);
    const paused = fleet.run(['pause', '--wait', '--timeout', '1s']);
    expect(paused.code).toBe(4);
    expect(paused.stderr).toMatch(
      /^NOT acknowledged by all in 1s: a gateway of default, last heard \d+s ago, disconnected/m,
    );
  });
});

describe('by the word of the watcher, whose clock nobody sets', () => {
  const SECOND = 1_000;
  const HOUR = 3_600_000;
  const ago = (ms: number) => ({ last_seen_at: new Date(Date.now() - ms).toISOString() });
  const RETURNS = { returning: true };
  const gateway = (pid: number, link: string, more: object = {}) => ({
    instance: 'g',
    pid,
    software: 's',
    link,
    profiles: [{ name: 'lane-a', in_flight: 0, acknowledged: 3, acknowledged_at: null }],
    ...more,
  });
  const here = gateway(1, 'acknowledged');

  async function asserted(...gateways: readonly object[]) {
    return assertedOf(stateText, ['assert', 'acknowledged'], ...gateways);
  }
  async function assertedOf(
    text: (more: object) => string,
    words: readonly string[],
    ...gateways: readonly object[]
  ) {
    const fleet = makeFleet('lane-a');
    const lane = { name: 'lane-a', engaged: false, own: null, revision: 3 };
    await saidWatcher(fleet.root, (_request, response) =>
      response.end(text({ profiles: [lane], gateways })),
    );
    const live = startFleet([...words, '--root', fleet.root]);
    const { code } = await live.ended;
    return { code, said: live.stdout() + live.stderr() };
  }

  it.each([
    ['may return, heard 4 s ago', () => gateway(2, 'gone', { ...ago(4 * SECOND), ...RETURNS }), 3],
    ['may return, heard 1 h ago', () => gateway(2, 'gone', { ...ago(HOUR), ...RETURNS }), 3],
    ['may return, heard in 1 h', () => gateway(2, 'gone', { ...ago(-HOUR), ...RETURNS }), 3],
    ['may return, heard at no time', () => gateway(2, 'gone', RETURNS), 3],
    ['may return, heard soon', () => gateway(2, 'gone', { last_seen_at: 'soon', ...RETURNS }), 3],
    ['may return, heard once', () => gateway(2, 'gone', { last_seen_at: [], ...RETURNS }), 3],
    ['is gone for good, though heard 4 s ago', () => gateway(2, 'gone', ago(4 * SECOND)), 0],
    ['is gone for good, heard in 1 h', () => gateway(2, 'gone', ago(-HOUR)), 0],
    ['is gone for good, heard at no time', () => gateway(2, 'gone'), 0],
    ['is the process that is connected again', () => gateway(1, 'gone', RETURNS), 0],
    ['serves others', () => gateway(2, 'gone', { ...RETURNS, profiles: [] }), 0],
    ['is connected, and silent for long', () => gateway(2, 'acknowledged', ago(60 * SECOND)), 0],
  ] as const)('of a profile where all have acknowledged: one that %s', async (_, other, code) => {
    const found = await asserted(here, other());
    expect(found.code).toBe(code);
    expect(found.said.includes('may reconnect')).toBe(code === 3);
  });

  it('what is false is false, whoever comes back', async () => {
    const silent = gateway(3, 'connected', {
      profiles: [{ name: 'lane-a', in_flight: 0, acknowledged: 2, acknowledged_at: null }],
    });
    const { code, said } = await asserted(
      silent,
      gateway(2, 'gone', { ...ago(SECOND), ...RETURNS }),
    );
    expect(code).toBe(1);
    expect(said).toMatch(/FAIL +lane-a +acknowledged by 0 of 1, not by s, process 3 \(silent\); a/);
  });

  it('several are said in one sentence, and a time that is not known is not told', async () => {
    const three = [2, 3, 4].map((pid) => gateway(pid, 'gone', { ...ago(4 * SECOND), ...RETURNS }));
    expect((await asserted(here, ...three)).said).toMatch(
      /: 3 gateways of lane-a, last heard \d+s ago, disconnected and may reconnect\n$/,
    );
    const later = gateway(5, 'gone', { ...ago(-HOUR), ...RETURNS });
    expect((await asserted(here, ...three, later)).said).toMatch(
      /: 4 gateways of lane-a, last heard at an unknown time, disconnected and may reconnect\n$/,
    );
  });

  it('an older watcher says nothing of it: that is not known, and is said', async () => {
    const all = [here, gateway(2, 'gone', ago(HOUR))];
    const older = (...words: readonly string[]) => assertedOf(olderStateText, words, ...all);
    const assertion = await older('assert', 'acknowledged');
    expect(assertion.code).toBe(3);
    expect(assertion.said).toMatch(/^\?{4} +lane-a +acknowledged by 0 of 1, not by .*\(unknown\);/);
    expect(assertion.said).toMatch(/^lane-a: unknown: .* disconnected and may reconnect$/m);
    const wait = await older('resume', '--wait', '--timeout', '1s');
    expect(wait.code).toBe(4);
    expect(wait.said).toMatch(/^NOT acknowledged by all in 1s: 1 unknown, .*: restart it$/m);
    const status = await older('status');
    expect(status.code).toBe(0);
    expect(status.said).toMatch(/^the watcher is older than this command, .*: restart it$/m);
  });
});
