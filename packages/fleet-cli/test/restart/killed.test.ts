/**
 * `fleet restart` killed at every step: what it left is named, and settled by the watcher and by
 * `fleet doctor --fix`. No lane stays frozen without a hold that says why.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Fleet } from '../support/fleet.ts';
import { makeFleet, preloaded } from '../support/fleet.ts';
import { holdsOf, startFleet, until } from '../support/live.ts';
import {
  commandOf,
  giveTurn,
  servingOf,
  setMeans,
  superviseGateway,
  untilBegun,
  untilServed,
} from '../support/restartable.ts';
import { logOf, startWatcher } from '../support/watcher.ts';

const recordPath = (fleet: Fleet): string => join(fleet.folder('lane-a'), '.fleet', 'restart.json');

function stepOf(fleet: Fleet): string | null {
  if (!existsSync(recordPath(fleet))) return null;
  return JSON.parse(readFileSync(recordPath(fleet), 'utf8')).step;
}

/** It kills itself as soon as its record says this step. */
async function killAt(fleet: Fleet, step: string, ...words: readonly string[]): Promise<void> {
  const { env } = preloaded(
    `const fs = require('node:fs');
     for (const name of ['linkSync', 'renameSync']) {
       const call = fs[name];
       fs[name] = (from, to) => {
         call(from, to);
         if (!String(to).endsWith('restart.json')) return;
         if (JSON.parse(fs.readFileSync(to)).step === '${step}') process.kill(process.pid, 'SIGKILL');
       };
     }`,
  );
  const line = ['restart', '--root', fleet.root, '-p', 'lane-a', ...words];
  const live = startFleet(line, env === undefined ? {} : { env });
  expect(await live.ended).toMatchObject({ signal: 'SIGKILL' });
}

/** Kills it when this is so. */
async function killWhen(fleet: Fleet, isSo: () => boolean): Promise<void> {
  const live = startFleet(['restart', '--root', fleet.root, '-p', 'lane-a']);
  await until(isSo);
  live.signal('SIGKILL');
  await live.ended;
}

const findings = (fleet: Fleet, ...words: readonly string[]) => {
  const { code, document } = fleet.json(['doctor', ...words]);
  const about = document.findings.filter(({ check }: { check: string }) => check === 'restarts');
  return { code, about, repaired: document.repaired };
};

describe('before it restarted anything', () => {
  it.each(['held', 'draining', 'cutting'])(
    'killed while %s: the watcher lifts its hold at the next sweep, and says so once',
    async (step) => {
      const fleet = makeFleet('lane-a');
      const watcher = await startWatcher(fleet.root, '--sweep', '1s');
      await superviseGateway(fleet, 'lane-a');
      giveTurn(fleet, 'lane-a', '1.stuck');
      await untilBegun(fleet, 'lane-a', '1.stuck');
      const before = await servingOf(fleet, 'lane-a');
      await killAt(fleet, step, '--timeout', '1s');
      await until(() => stepOf(fleet) === null);
      expect(existsSync(fleet.sentinel('lane-a'))).toBe(false);
      expect([await untilServed(fleet, 'lane-a')]).toEqual(before);
      await watcher.complains('"restart.settled"');
      const said = logOf(watcher).filter(({ msg }) => msg?.startsWith('a restart died'));
      expect(said).toMatchObject([{ profile: 'lane-a', step, outcome: 'undone' }]);
    },
  );

  it('doctor names it, and --fix undoes it', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root, '--sweep', '10m');
    await superviseGateway(fleet, 'lane-a');
    giveTurn(fleet, 'lane-a', '1.stuck');
    await untilBegun(fleet, 'lane-a', '1.stuck');
    await killAt(fleet, 'draining', '--timeout', '1m');
    expect(watcher.pid).toBeGreaterThan(0);
    expect(findings(fleet)).toMatchObject({
      code: 1,
      about: [
        {
          level: 'problem',
          what: expect.stringMatching(/draining .* died half-way; its hold is that of `restart-/),
          where: recordPath(fleet),
          todo: expect.stringContaining('fleet doctor --fix'),
        },
      ],
    });
    expect(holdsOf(fleet.sentinel('lane-a'))).toMatchObject([{ expires_at: expect.any(String) }]);
    expect(findings(fleet, '--fix')).toMatchObject({
      about: [{ level: 'ok' }],
      repaired: [{ what: expect.stringContaining('undid the restart of lane-a') }],
    });
    expect(existsSync(fleet.sentinel('lane-a'))).toBe(false);
  });

  it('the next restart of the profile goes on in its place', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root, '--sweep', '10m');
    await superviseGateway(fleet, 'lane-a');
    giveTurn(fleet, 'lane-a', '1.stuck');
    await untilBegun(fleet, 'lane-a', '1.stuck');
    await killAt(fleet, 'draining', '--timeout', '1m');
    const words = ['-p', 'lane-a', '--no-drain', '--settle', '1s'];
    const live = startFleet(['restart', '--root', fleet.root, ...words]);
    expect([(await live.ended).code, live.stderr()]).toEqual([
      0,
      expect.stringContaining('lane-a: lifted'),
    ]);
    expect(existsSync(fleet.sentinel('lane-a'))).toBe(false);
  });
});

describe('after the restart has begun', () => {
  it('killed before its means were started: its lane stays held, with the reason, until somebody acts', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root, '--sweep', '1s');
    const gateway = await superviseGateway(fleet, 'lane-a');
    await killAt(fleet, 'restarting');
    await until(() => holdsOf(fleet.sentinel('lane-a'))?.[0]?.expires_at === undefined);
    expect(holdsOf(fleet.sentinel('lane-a'))).toMatchObject([
      { reason: expect.stringContaining('died while restarting') },
    ]);
    // Whoever restarts it by hand need not care for the rest.
    process.kill(gateway.pid(), 'SIGTERM');
    await until(() => !existsSync(fleet.sentinel('lane-a')) && stepOf(fleet) === null);
  });

  it('its lane stays held with a reason while no new instance is there, and is free once one is', async () => {
    const fleet = makeFleet('lane-a');
    const watcher = await startWatcher(fleet.root, '--sweep', '1s');
    await superviseGateway(fleet, 'lane-a');
    const before = await untilServed(fleet, 'lane-a');
    // Means that wait until they are told to go on.
    const [node = '', e = '', stop = '', pid = ''] = commandOf(fleet, 'lane-a');
    const go = join(fleet.folder('lane-a'), 'go');
    const slow = `require('node:fs').writeFileSync(process.argv[2] + '.waits', '');
      const look0 = () => require('node:fs').existsSync(process.argv[2]) ? begin() : setTimeout(look0, 20);
      const begin = () => { ${stop} }; look0();`;
    setMeans(fleet, 'lane-a', { command: [node, e, slow, pid, go] });
    await killWhen(fleet, () => existsSync(`${go}.waits`));
    await until(() =>
      (holdsOf(fleet.sentinel('lane-a')) ?? []).some(({ reason }) =>
        reason.includes('died while restarting'),
      ),
    );
    expect(holdsOf(fleet.sentinel('lane-a'))?.[0].expires_at).toBeUndefined();
    expect(stepOf(fleet)).toBe('restarting');
    expect(findings(fleet, '--fix')).toMatchObject({ code: 1, about: [{ level: 'problem' }] });
    expect(await servingOf(fleet, 'lane-a')).toEqual([before]);
    // The means that were started go on, since they belong to nobody's terminal.
    writeFileSync(go, '');
    await until(() => !existsSync(fleet.sentinel('lane-a')));
    expect(await servingOf(fleet, 'lane-a')).not.toEqual([before]);
    await until(() => stepOf(fleet) === null);
    const said = logOf(watcher).filter(({ msg }) => msg?.startsWith('a restart died'));
    expect(said.map(({ outcome }) => outcome)).toEqual(['held', 'finished']);
  });

  it('a new instance that was verified for a while already finishes it', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root, '--sweep', '10m');
    await superviseGateway(fleet, 'lane-a');
    const before = await untilServed(fleet, 'lane-a');
    await killAt(fleet, 'verifying', '--settle', '40s');
    await until(() => existsSync(recordPath(fleet)));
    let after = before;
    while (after === before) after = await untilServed(fleet, 'lane-a');
    expect(findings(fleet, '--fix')).toMatchObject({
      repaired: [{ what: expect.stringContaining('finished the restart of lane-a') }],
    });
    expect(existsSync(fleet.sentinel('lane-a'))).toBe(false);
    expect(stepOf(fleet)).toBe(null);
  });
});
