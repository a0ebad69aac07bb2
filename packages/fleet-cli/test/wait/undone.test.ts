/**
 * A hold that does not stay as it was placed, while gateways are waited for: what is gone is 1, what
 * somebody made of it is waited for, and an interrupted wait says what is known.
 */
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, type Fleet, makeFleet, place } from '../support/fleet.ts';
import { type Gateway, startGateway } from '../support/gateways.ts';
import { type Live, startFleet } from '../support/live.ts';
import { startWatcher } from '../support/watcher.ts';

interface Waiting {
  readonly fleet: Fleet;
  readonly frozen: Gateway;
  readonly live: Live;
}

/** A pause that waits for a gateway which is stopped. */
async function waiting(...words: readonly string[]): Promise<Waiting> {
  const fleet = makeFleet('lane-a');
  await startWatcher(fleet.root);
  const frozen = await startGateway(fleet.root, 'g', ['lane-a']);
  frozen.signal('SIGSTOP');
  const all = ['pause', '--root', fleet.root, '--wait', '--timeout', '1h', ...words];
  const live = startFleet(all);
  if (!words.includes('--json')) await live.prints('lift with');
  return { fleet, frozen, live };
}

describe('a hold that is gone', () => {
  it('lifted by somebody else, it is 1 at once', async () => {
    const { fleet, live } = await waiting();
    expect(fleet.run(['resume']).code).toBe(0);
    expect((await live.ended).code).toBe(1);
    expect(live.stderr()).toMatch(
      /NOT paused any more: your hold on the whole fleet is gone: somebody else lifted it\n {2}until then: .+\n$/,
    );
  });

  it('lifted while others hold it, it is 1 as well, and both are said', async () => {
    const { fleet, live } = await waiting('-p', 'lane-a');
    fleet.run(['pause', '-p', 'lane-a', '--as', 'sre']);
    fleet.run(['resume', '-p', 'lane-a']);
    expect((await live.ended).code).toBe(1);
    expect(live.stderr()).toMatch(
      /your hold on lane-a is gone: somebody else lifted it; others still hold it\n {2}until then: .+\n$/,
    );
  });

  it('where others held it before, their hold is not taken for it', async () => {
    const fleet = makeFleet('lane-a');
    await startWatcher(fleet.root);
    const frozen = await startGateway(fleet.root, 'g', ['lane-a']);
    fleet.run(['pause', '--as', 'sre']);
    frozen.signal('SIGSTOP');
    const live = startFleet(['pause', '--root', fleet.root, '--wait', '--timeout', '1h']);
    await live.prints('lift with');
    fleet.run(['resume']);
    expect((await live.ended).code).toBe(1);
    expect(live.stderr()).toContain('somebody else lifted it; others still hold it\n');
  });

  it('over by its own deadline, that is said', async () => {
    const { live } = await waiting('--ttl', '2s');
    expect((await live.ended).code).toBe(1);
    expect(live.stderr()).toContain(
      'your hold on the whole fleet is gone: its deadline has passed',
    );
  });

  it('over by its own deadline, whoever had acknowledged it until then is said to have', async () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    await startWatcher(fleet.root);
    const prompt = await startGateway(fleet.root, 'prompt', ['lane-a']);
    const frozen = await startGateway(fleet.root, 'frozen', ['lane-b']);
    frozen.signal('SIGSTOP');
    const words = ['pause', '--root', fleet.root, '--wait', '--timeout', '1h', '--ttl', '3s'];
    const [people, machines] = [startFleet(words), startFleet([...words, '--as', 'sre', '--json'])];
    expect((await people.ended).code).toBe(1);
    const said = people.stdout();
    expect(said).toContain('acknowledged by 1 of 2 gateways, as long as the hold stood\n');
    expect(said).toMatch(
      new RegExp(`acknowledged +sample/1.0, process ${prompt.pid}: lane-a; after`),
    );
    expect(said).toMatch(new RegExp(`silent +sample/1.0, process ${frozen.pid}: lane-b`));
    expect(said).not.toContain('not seen');
    expect(people.stderr()).toMatch(
      /is gone: its deadline has passed.*\n {2}until then: not acknowledged by all: 1 silent.*\n$/,
    );
    expect((await machines.ended).code).toBe(1);
    const { wait } = JSON.parse(machines.stdout());
    expect(wait).toMatchObject({ outcome: 'undone', unshown: [] });
    const standings = wait.gateways.map((it: Record<string, unknown>) => [
      it['instance'],
      it['standing'],
    ]);
    expect(Object.fromEntries(standings)).toEqual({ prompt: 'acknowledged', frozen: 'silent' });
  });

  it('its document says so', async () => {
    const { fleet, live } = await waiting('--json');
    while (!exists(fleet.sentinel())) await new Promise((resolve) => setTimeout(resolve, 10));
    fleet.run(['resume']);
    expect((await live.ended).code).toBe(1);
    const { wait, results } = JSON.parse(live.stdout());
    expect(results[0].armed).toBe(true);
    expect(wait).toMatchObject({ outcome: 'undone', undone: [expect.stringContaining('is gone')] });
  });
});

describe('a hold that somebody changes', () => {
  it('armed anew by its holder, the new one is waited for', async () => {
    const { fleet, frozen, live } = await waiting();
    fleet.run(['pause', '--reason', 'another one']);
    frozen.signal('SIGCONT');
    expect(await live.ended).toEqual({ code: 0, signal: null });
  });

  it('edited by hand, what stands then is waited for', async () => {
    const { fleet, frozen, live } = await waiting();
    const { holds, ...rest } = bodyOf(fleet.sentinel());
    place(fleet.sentinel(), { ...rest, reason: 'by hand' });
    expect(holds).toHaveLength(1);
    frozen.signal('SIGCONT');
    expect(await live.ended).toEqual({ code: 0, signal: null });
  });
});

describe('a wait that is interrupted', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s ends it with what is known', async (signal) => {
    const { fleet, frozen, live } = await waiting();
    await live.complains('waiting for gateways');
    live.signal(signal);
    expect(await live.ended).toEqual({ code: null, signal });
    expect(live.stdout()).toContain('acknowledged by nobody\n');
    expect(live.stdout()).toMatch(new RegExp(`silent +sample/1.0, process ${frozen.pid}: lane-a`));
    expect(live.stderr()).toContain('NOT acknowledged by all: 1 silent\n');
    expect(live.stderr()).toContain('the hold is on disk and stays in force\n');
    expect(exists(fleet.sentinel())).toBe(true);
  });

  it('with --json there is a document all the same', async () => {
    const { live } = await waiting('--json');
    await live.complains('waiting for gateways');
    live.signal('SIGINT');
    expect(await live.ended).toEqual({ code: null, signal: 'SIGINT' });
    expect(JSON.parse(live.stdout()).wait.outcome).toBe('interrupted');
  });
});
