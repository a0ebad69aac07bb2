/** Work in hand in `status` and `explain`: its age, its last progress, and what is wedged. */
import { lutimesSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openRegister, type Register, type WorkToBegin } from '@fleet-estop/ledger';
import { expect, it, onTestFinished } from 'vitest';
import { makeFleet } from '../support/fleet.ts';

const HOUR_MS = 3_600_000;

/** Work that began that long ago, and was last touched so long ago. */
function begun(
  home: string,
  work: Partial<WorkToBegin>,
  agoMs: number,
  touchedAgoMs = agoMs,
): void {
  const register: Register = openRegister(home, {
    instance: 'gw-1',
    now: () => Date.now() - agoMs,
  });
  onTestFinished(() => register.close());
  const claims = join(home, '.fleet/in-flight/claims');
  const before = new Set(register.list().work.length === 0 ? [] : readdirSync(claims));
  register.begin({ door: 'turn', id: 's1', ...work });
  const at = (Date.now() - touchedAgoMs) / 1_000;
  for (const digest of readdirSync(claims).filter((name) => !before.has(name))) {
    for (const entry of readdirSync(join(claims, digest))) {
      lutimesSync(join(claims, digest, entry), at, at);
    }
  }
}

it('status says of each busy profile how much it has in hand, and since when the oldest', () => {
  const { run, json, folder } = makeFleet('lane-a', 'lane-b');
  begun(folder('lane-a'), { id: 'hangs', stallMs: 3 * HOUR_MS }, 2 * HOUR_MS, HOUR_MS);
  begun(folder('lane-a'), { id: 'later' }, HOUR_MS);
  const { stdout } = run(['status']);
  expect(stdout).toMatch(
    /^lane-a: 2 in hand, the oldest: turn `hangs`, since .* \(2h ago\); last progress 1h ago$/m,
  );
  expect(stdout).not.toMatch(/^lane-b: /m);
  const { document } = json(['status']);
  expect(document.lanes).toMatchObject([
    { work: { count: 2, wedged: 0, oldest: { id: 'hangs', stall_ms: 3 * HOUR_MS } } },
    { work: { count: 0, unproven: 0, wedged: 0, complete: true, oldest: null } },
  ]);
});

it('work without progress for longer than its own limit is wedged, whichever is the oldest', () => {
  const { run, json, folder } = makeFleet('lane-a', 'lane-b');
  begun(folder('lane-a'), { id: 'old' }, 5 * HOUR_MS);
  begun(folder('lane-a'), { id: 'hangs', stallMs: 600_000, conversation: 'chat-7' }, HOUR_MS);
  begun(folder('lane-b'), { id: 'runs' }, HOUR_MS);
  const status = run(['status']).stdout;
  expect(status).toMatch(
    /^lane-a: 2 in hand: WEDGED: turn `hangs`: no progress for 1h, and its limit is 10m$/m,
  );
  expect(status.indexOf('lane-a: 2 in hand')).toBeLessThan(status.indexOf('lane-b: 1 in hand'));
  const explained = run(['explain', '-p', 'lane-a']).stdout;
  expect(explained).toMatch(/^2 in hand, the oldest: turn `old`, since .* \(5h ago\), of gateway/m);
  expect(explained).toMatch(
    /^wedged: turn `hangs`: no progress for 1h, and its limit is 10m, of gateway gw-1 on /m,
  );
  expect(json(['explain', '-p', 'lane-a']).document.lanes[0].work).toMatchObject({
    count: 2,
    wedged: 1,
    oldest: { id: 'old', wedged: false, stall_ms: null, conversation: null },
  });
  expect(json(['status']).document.lanes[0].work).toMatchObject({ count: 2, wedged: 1 });
});

it('work that never said anything about its progress is shown by its age alone', () => {
  const { run, folder } = makeFleet('lane-a');
  begun(folder('lane-a'), {}, HOUR_MS);
  expect(run(['status']).stdout).toMatch(/^lane-a: 1 in hand: turn `s1`, since .* \(1h ago\)$/m);
  expect(run(['explain', '-p', 'lane-a']).stdout).not.toContain('progress');
});
