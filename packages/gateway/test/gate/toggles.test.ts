/**
 * A thousand conversations at one gate while another process pauses and resumes the fleet a thousand
 * times: no admission during a pause, and a receipt for every refusal.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readReceipts } from '@fleet-estop/ledger';
import { expect, onTestFinished, test } from 'vitest';
import { homeOf } from '../support/fleets.ts';
import { type Pause, togglingProcess } from '../support/processes.ts';
import { opened } from './opened.ts';

const TURNS = 1_000;
const TOGGLES = 1_000;

interface Asked {
  readonly from: bigint;
  readonly to: bigint;
  readonly admitted: boolean;
}

/** In memory: a thousand synced pauses would be slow, and this test is not about disks. */
function fleetInMemory(): { readonly root: string; readonly home: string } {
  const base = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
  const root = mkdtempSync(join(base, 'fleet-toggles-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = homeOf(root, 'a');
  mkdirSync(home, { recursive: true });
  return { root, home };
}

/** true if the question was asked and answered within one pause, between its arm and its lift. */
const isWithin = ({ from, to }: Asked, { heldFrom, heldTo }: Pause): boolean =>
  from >= BigInt(heldFrom) && to <= BigInt(heldTo);

test('no turn is admitted while a pause stands, none is lost, and the receipts add up', async () => {
  const { root, home } = fleetInMemory();
  const gate = opened(home, { instance: 'g', sweepMs: 5_000 });
  const toggler = await togglingProcess(TOGGLES, [root, home]);
  const asked: Asked[] = [];
  const inHand = new Set<string>();
  const lost: string[] = [];
  let isToggling = true;

  const ask = (conversation: string): boolean => {
    const from = process.hrtime.bigint();
    const { admitted } = gate.admit({ door: 'turn', principal: conversation });
    asked.push({ from, to: process.hrtime.bigint(), admitted });
    return admitted;
  };
  /** The conversations differ in their pace, and the receipts stay below the rotation limit. */
  const think = (at: number): Promise<void> => delay(200 + ((at * 7919) % 400));

  const converse = async (at: number): Promise<void> => {
    const conversation = `c${at}`;
    await think(at * 31);
    while (isToggling) {
      if (ask(conversation)) {
        const work = gate.begin({ door: 'turn', id: conversation });
        inHand.add(conversation);
        if (gate.inFlight() !== inHand.size) lost.push(`${conversation} at its begin`);
        await think(at);
        inHand.delete(conversation);
        if (work?.end() !== true) lost.push(`${conversation} at its end`);
      } else {
        await think(at);
      }
    }
  };

  const toggled = toggler.ask().finally(() => {
    isToggling = false;
  });
  await Promise.all(Array.from({ length: TURNS }, (_, at) => converse(at)));
  const pauses = await toggled;

  expect(pauses).toHaveLength(TOGGLES);
  let during = 0;
  const admittedDuring: Asked[] = [];
  // Both are in the order of the same clock.
  let next = 0;
  for (const one of asked) {
    while (next < pauses.length && BigInt(pauses[next]?.heldTo ?? 0) < one.to) next += 1;
    const pause = pauses[next];
    if (pause === undefined || !isWithin(one, pause)) continue;
    during += 1;
    if (one.admitted) admittedDuring.push(one);
  }
  const refused = asked.filter(({ admitted }) => !admitted).length;
  const figures = { asked: asked.length, refused, during };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  expect(admittedDuring).toEqual([]);
  expect(lost).toEqual([]);
  expect(gate.inFlight()).toBe(0);
  const { receipts, older, corrupt, unreadable } = readReceipts(home);
  expect([receipts.length, older, corrupt, unreadable]).toEqual([refused, 0, 0, undefined]);
  // Otherwise the test would prove nothing.
  expect(during).toBeGreaterThan(TURNS / 2);
  expect(asked.length - refused).toBeGreaterThan(TURNS / 2);
}, 60_000);
