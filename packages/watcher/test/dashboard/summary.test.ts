/**
 * The line above the profiles matches the rows: at once on screen, and in turn for screen readers.
 */
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { arm } from '@fleet-estop/sentinel-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, openPage, startServing } from '../support/browser.ts';
import { disk, makeRoot } from '../support/watched.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());

const LANES = ['lane-a', 'lane-b', 'lane-c'];

/** Serves all profiles, and says of each state that it is in force until it is stopped. */
function gatewayOf(root: string): { stop(): void } {
  let isStopped = false;
  const socket = connect(join(root, '.fleet/watcher.sock'));
  onTestFinished(() => void socket.destroy());
  const say = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
  const profiles = LANES.map((name) => ({ name, doors: ['turn'], in_flight: 0 }));
  say({ type: 'hello', protocol: 1, instance: 'gateway-1', pid: 7, software: 'gw 1', profiles });
  socket.on('error', () => {});
  createInterface({ input: socket }).on('line', (line) => {
    const { type, epoch, revision, profile } = JSON.parse(line);
    if (type === 'state' && !isStopped)
      say({ type: 'ack', epoch, revision, profile, in_flight: 0 });
  });
  return {
    stop() {
      isStopped = true;
    },
  };
}

/** Of each frame in which either is another: how many rows are paused and not acknowledged, and the line. */
const WATCH_FRAMES = `globalThis.frames_seen = [];
  const look = () => {
    const count = (selector, text) => [...document.querySelectorAll(selector)]
      .filter((node) => node.textContent.startsWith(text)).length;
    const now = [count('.state', '■'), count('.acks', 'not all'),
      document.querySelector('#summary').textContent].join('|');
    if (frames_seen.at(-1) !== now) frames_seen.push(now);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
  globalThis.announced = [];
  const region = document.querySelector('[role="status"][aria-live="polite"]');
  new MutationObserver(() => announced.push([performance.now(), region.textContent,
    document.querySelector('#summary').textContent]))
    .observe(region, { childList: true, characterData: true, subtree: true });`;

test('no frame has a line that the rows contradict, and what is announced is the newest, in turn', {
  timeout: 60_000,
}, async () => {
  const root = makeRoot(...LANES);
  const { url } = await startServing(root);
  const gateway = gatewayOf(root);
  const page = await openPage(browser, url);
  const line = page.locator('#summary');
  await line.filter({ hasText: '0 of 3 profiles paused; 1 of 1 gateways have' }).waitFor();
  await page.evaluate(WATCH_FRAMES);
  gateway.stop();
  for (const [at, lane] of LANES.entries()) {
    arm(disk, join(root, 'profiles', lane), { reason: 'stop' });
    await page.locator('.acks').filter({ hasText: 'not all: 0 of 1' }).nth(at).waitFor();
  }
  const last = '3 of 3 profiles paused; 0 of 1 gateways have acknowledged the state.';
  await page.getByRole('status').filter({ hasText: last }).waitFor();

  const frames = await page.evaluate<string[]>('frames_seen');
  expect(frames).toEqual([
    '0|0|0 of 3 profiles paused; 1 of 1 gateways have acknowledged the state.',
    '1|1|1 of 3 profiles paused; 0 of 1 gateways have acknowledged the state.',
    '2|2|2 of 3 profiles paused; 0 of 1 gateways have acknowledged the state.',
    `3|3|${last}`,
  ]);
  const announced = await page.evaluate<[number, string, string][]>('announced');
  expect(announced.at(-1)?.[1]).toBe(last);
  for (const [, text, shown] of announced) expect(text).toBe(shown);
  const times = announced.map(([atMs]) => atMs);
  const gaps = times.slice(1).map((atMs, at) => atMs - (times[at] ?? 0));
  expect(Math.min(...gaps, 1_500)).toBeGreaterThan(1_450);
  // What was skipped was not the newest any more.
  expect(announced.length).toBeLessThan(3);
});

test('the line says how many profiles nobody serves: no count of gateways is about them', {
  timeout: 60_000,
}, async () => {
  const root = makeRoot(...LANES, 'lane-d', 'lane-e');
  const { url } = await startServing(root);
  gatewayOf(root);
  const page = await openPage(browser, url);
  const said = '1 of 1 gateways have acknowledged the state; no gateway serves 2 of 5 profiles.';
  await page
    .locator('#summary')
    .filter({ hasText: `0 of 5 profiles paused; ${said}` })
    .waitFor();
});
