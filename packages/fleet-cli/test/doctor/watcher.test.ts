/**
 * What `fleet doctor` says of a watcher: whether one should run, and what it says itself.
 * Gateways that should be there are `gateways.test.ts`.
 * That an answer is not believed to be a watcher's is `said-watcher.test.ts`.
 */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Fleet, fleetAt, makeFleet, temporaryFolder } from '../support/fleet.ts';
import { type Live, startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';
import { examine, examineMeanwhile, expectGateway, profileOf, untilFound } from './fleets.ts';

const isSuperuser = process.getuid?.() === 0;

const settingsOf = ({ root }: Fleet): string => join(root, 'fleet.yaml');

function writeHook(fleet: Fleet, url: string, secret = `whsec_${'A'.repeat(43)}=`): void {
  const hooks = [{ url, secret_file: '.fleet/hook.secret' }];
  writeFileSync(settingsOf(fleet), JSON.stringify({ version: 1, watcher: { webhooks: hooks } }));
  mkdirSync(join(fleet.root, '.fleet'), { recursive: true, mode: 0o700 });
  if (secret !== '') {
    writeFileSync(join(fleet.root, '.fleet', 'hook.secret'), secret, { mode: 0o600 });
  }
}

/** Nobody takes connections there. */
const NOWHERE = 'http://127.0.0.1:9/in';

async function killed(watcher: Live): Promise<void> {
  watcher.signal('SIGKILL');
  await watcher.ended;
}

describe('no watcher', () => {
  it('is nothing to find where no setting needs one', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    expectGateway(fleet, 'lane-a', false);
    writeFileSync(settingsOf(fleet), 'version: 1\nwatcher: {sweep: 5s, webhooks: []}\n');
    expect(examine(fleet).found('watcher')).toEqual([]);
  });

  it('is a warning where there are webhooks, with the command that starts one', () => {
    const fleet = makeFleet('lane-a');
    writeHook(fleet, NOWHERE);
    const { code, found } = examine(fleet);
    expect(code).toBe(0);
    expect(found('watcher')).toMatchObject([
      {
        level: 'warning',
        where: settingsOf(fleet),
        what: expect.stringContaining('1 webhook in fleet.yaml'),
        todo: `run: fleet watcher --root ${fleet.root}`,
      },
    ]);
  });

  it('is a warning where a gateway is expected, in the root’s own profile too', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    expectGateway(fleet, 'lane-b');
    expect(examine(fleet).found('watcher')).toMatchObject([
      {
        level: 'warning',
        where: profileOf(fleet, 'lane-b'),
        what: expect.stringContaining('a gateway is expected in lane-b:'),
      },
    ]);
    writeFileSync(join(fleet.root, 'profile.yaml'), 'version: 1\ngateway: {expected: true}\n');
    expect(examine(fleet).found('watcher')).toMatchObject([
      { what: expect.stringContaining('a gateway is expected in default, lane-b:') },
    ]);
  });

  it('is one that was killed, whose sockets are still there', async () => {
    const fleet = makeFleet('lane-a');
    await killed(await startWatcher(fleet.root));
    expect(examine(fleet).found('watcher')).toEqual([]);
    expectGateway(fleet, 'lane-a');
    expect(examine(fleet).found('watcher')).toMatchObject([
      { level: 'warning', what: expect.stringContaining('no watcher runs here') },
    ]);
  });

  it('can run where the root is too long a path for sockets', () => {
    const root = join(temporaryFolder(), 'x'.repeat(120));
    mkdirSync(join(root, 'profiles', 'lane-a'), { recursive: true });
    const fleet = fleetAt(root);
    expect(examine(fleet).found('watcher')).toEqual([]);
    expectGateway(fleet, 'lane-a');
    expect(examine(fleet).found('watcher')).toMatchObject([{ level: 'warning' }]);
  });
});

describe('a watcher that cannot be asked', () => {
  it('is one that is stopped: told within seconds, and exit 3', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root);
    watcher.signal('SIGSTOP');
    const { code, found } = examine(fleet);
    expect(code).toBe(3);
    expect(found('watcher')).toMatchObject([
      {
        level: 'problem',
        what: expect.stringContaining('it has not answered in 3000 ms'),
        unexamined: true,
      },
    ]);
  });

  it('is one that gateways reach, and that is served nowhere else', async () => {
    const fleet = makeFleet('lane-a');
    mkdirSync(join(fleet.root, '.fleet'), { mode: 0o700 });
    const server = createSocket();
    await new Promise<void>((resolve) =>
      server.listen(join(fleet.root, '.fleet', 'watcher.sock'), resolve),
    );
    onTestFinished(() => void server.close());
    const { code, found } = await examineMeanwhile(fleet);
    expect(code).toBe(3);
    expect(found('watcher')).toMatchObject([
      { what: expect.stringContaining('does not serve `http.sock`'), unexamined: true },
    ]);
  });

  it('is one of another user, of which nobody says that it runs', async ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    chmodSync(join(fleet.root, '.fleet'), 0o755);
    const [finding] = examine(fleet, [], { ordinary: true }).found('watcher');
    expect(finding).toMatchObject({ level: 'problem', unexamined: true });
    expect(finding.what).toContain('this user may not ask it (EACCES)');
    expect(finding.what).not.toContain('runs');
  });
});

describe('webhooks', () => {
  it('that cannot be signed are a problem', async () => {
    const fleet = makeFleet('lane-a');
    writeHook(fleet, NOWHERE, '');
    await startWatcher(fleet.root);
    const { code, found } = await untilFound(fleet, 'watcher');
    expect(code).toBe(1);
    expect(found('watcher')).toMatchObject([
      {
        level: 'problem',
        where: settingsOf(fleet),
        what: expect.stringContaining('nothing is sent to the webhook 127.0.0.1:9'),
      },
    ]);
  });

  it('whose receiver is away are a warning, while nothing is lost', async () => {
    const fleet = makeFleet('lane-a');
    writeHook(fleet, NOWHERE);
    await startWatcher(fleet.root);
    fleet.run(['pause']);
    const { code, found } = await untilFound(fleet, 'watcher');
    expect(code).toBe(0);
    const [finding] = found('watcher');
    expect(finding).toMatchObject({ level: 'warning', where: settingsOf(fleet) });
    expect(finding.what).toMatch(/^the webhook 127\.0\.0\.1:9 fails: \d+ wait, .+ECONNREFUSED/);
  });

  it('that have lost something are a problem, until one is accepted', async () => {
    const fleet = makeFleet('lane-a');
    let status = 401;
    const server = createServer((_request, response) => void response.writeHead(status).end());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    writeHook(fleet, `http://127.0.0.1:${(server.address() as AddressInfo).port}/?key=SECRET`);
    await startWatcher(fleet.root);
    startFleet(['pause', '--root', fleet.root]);
    const { code, found, document } = await untilFound(fleet, 'watcher');
    expect(code).toBe(1);
    expect(found('watcher')).toMatchObject([
      { level: 'problem', what: expect.stringMatching(/has lost \d+ events?, and \d+ wait/) },
    ]);
    expect(JSON.stringify(document)).not.toContain('SECRET');

    status = 204;
    startFleet(['resume', '--root', fleet.root]);
    while ((await examineMeanwhile(fleet)).found('watcher').length > 0);
  });
});

describe('what the watcher does not see', () => {
  it('settings that it refuses are a warning, with what is in force instead', async () => {
    const fleet = makeFleet('lane-a');
    writeFileSync(settingsOf(fleet), 'version: 1\nobserve: native\n');
    await startWatcher(fleet.root);
    writeFileSync(settingsOf(fleet), 'version: 1\nobserve: sometimes\n');
    expect((await untilFound(fleet, 'watcher')).found('watcher')).toMatchObject([
      {
        level: 'warning',
        where: settingsOf(fleet),
        what: expect.stringContaining('uses the last valid ones'),
      },
    ]);
  });

  it('folders without notices are a warning, and named', async ({ skip }) => {
    skip(!isSuperuser, 'only root may start a process of another user');
    const fleet = makeFleet('lane-a', 'lane-b');
    // It is made by a user who may not write there, so that another's is there already.
    mkdirSync(join(fleet.root, '.fleet'));
    chmodSync(join(fleet.root, '.fleet'), 0o777);
    chmodSync(fleet.folder('lane-b'), 0o711);
    const words = ['watcher', '--root', fleet.root, '--no-http'];
    await startFleet(words, { uid: 65_534 }).complains('"watching"');
    const { found } = await untilFound(fleet, 'watcher');
    expect(found('watcher')).toMatchObject([
      {
        level: 'warning',
        where: fleet.folder('lane-b'),
        what: expect.stringMatching(/from 1 folder, so .+: EACCES$/),
      },
    ]);
  });
});
