/**
 * The dashboard without an event stream: it polls, says so, and shows the state.
 */
import { join } from 'node:path';
import { arm, lift } from '@fleet-estop/sentinel-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { inProfileRow, launchBrowser, openPage } from '../support/browser.ts';
import { served } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';
import { crowd, NOT_LIVE } from './crowd.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());

const LONG = { timeout: 60_000 };
const freshness = (page: Page, text: string) =>
  page.locator('#freshness').filter({ hasText: text }).waitFor();
const alert = (page: Page, text: string) =>
  page.getByRole('alert').filter({ hasText: text }).waitFor();
const alertsOf = (page: Page) => page.locator('#alerts').textContent();

async function refused(url: string): Promise<number> {
  const text = await (await fetch(`${url}metrics`)).text();
  return Number(/^fleet_stream_refused_total\{cap="unnamed"\} (\d+)$/m.exec(text)?.[1]);
}

test(
  'when the stream limit is reached, profiles are shown and followed, and one tab polls for all of them',
  LONG,
  async () => {
    const root = makeRoot('lane-a', 'lane-b');
    // Nobody gives way in this test.
    const { url } = await served(root, { streamLimits: { evictableAfterMs: 600_000 } });
    await crowd(url, 300);
    const before = await refused(url);
    expect(before).toBe(172);
    const page = await openPage(browser, url);
    await inProfileRow(page, 'lane-a', 'Running');
    await freshness(page, 'Not live: polls every 2 s, revision ');
    await alert(page, NOT_LIVE);
    expect(await alertsOf(page)).not.toMatch(/does not answer|Stale|blind/);
    expect(await page.title()).toBe('fleet');
    arm(disk, join(root, 'profiles/lane-a'), { reason: 'asked for' });
    await inProfileRow(page, 'lane-a', /Paused.*asked for/);
    const tabs = [page];
    while (tabs.length < 4) {
      const tab = await page.context().newPage();
      await tab.goto(url);
      tabs.push(tab);
    }
    for (const tab of tabs) await inProfileRow(tab, 'lane-a', /Paused.*asked for/);
    lift(disk, join(root, 'profiles/lane-a'), { everyone: true });
    for (const tab of tabs) await inProfileRow(tab, 'lane-a', 'Running');
    await alert(page, NOT_LIVE);
    // Once for the stream, and once to hear why.
    expect((await refused(url)) - before).toBe(2);

    // Not by `openPage`, which takes what the browser says of a 503 for a fault of the page.
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    await context.addInitScript('delete globalThis.SharedWorker');
    const alone = await context.newPage();
    const answers: { readonly status: number; readonly atMs: number }[] = [];
    alone.on('response', (response) => {
      const isState = new URL(response.url()).pathname === '/v1/state';
      if (isState) answers.push({ status: response.status(), atMs: performance.now() });
    });
    await alone.goto(url);
    await inProfileRow(alone, 'lane-b', 'Running');
    await alert(alone, NOT_LIVE);
    // From now on only what has changed is sent, and not more often than is said.
    const begun = answers.length;
    const isAnswerOf = (response: { url(): string }) => response.url().endsWith('/v1/state');
    await alone.waitForResponse(isAnswerOf);
    await alone.waitForResponse(isAnswerOf);
    const [first, second] = answers.slice(begun);
    expect([first?.status, second?.status]).toEqual([304, 304]);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(1_500);
  },
);

test('a page that polls goes live when a stream is free, and misses no event', LONG, async () => {
  const root = makeRoot('lane-a');
  const limits = { unnamed: 4, undisturbedMs: 6_000 };
  const { url } = await served(root, { heartbeatMs: 500, streamLimits: limits });
  const streams = await crowd(url, 4);
  const page = await openPage(browser, url);
  await alert(page, NOT_LIVE);
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'in between' });
  await inProfileRow(page, 'lane-a', /Paused.*in between/);
  expect(await page.locator('#events li').count()).toBe(0);
  for (const stream of streams) stream.close();
  await freshness(page, 'Live, revision ');
  await page.getByText(NOT_LIVE).waitFor({ state: 'detached' });
  await page.getByText('hold.armed').waitFor();
  expect(await alertsOf(page)).toBe('');
});
