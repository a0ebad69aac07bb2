/**
 * The dashboard without a stream, and then without any answer.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { launchBrowser, openPage, startServing } from '../support/browser.ts';
import { makeRoot } from '../support/watched.ts';
import { crowd, NOT_LIVE } from './crowd.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());

const LONG = { timeout: 60_000 };
const alert = (page: Page, text: string, timeout = 15_000) =>
  page.getByRole('alert').filter({ hasText: text }).waitFor({ timeout });

test('a watcher that does not answer the questions either is said to be lost', LONG, async () => {
  const root = makeRoot('lane-a');
  const watcher = await startServing(root);
  await crowd(watcher.url, 128);
  const page = await openPage(browser, watcher.url);
  await alert(page, NOT_LIVE);
  await page.getByText('Running').waitFor();
  process.kill(watcher.pid, 'SIGSTOP');
  // After three questions without an answer, and not only when the browser gives one of them up.
  await alert(page, 'Stale: no contact with the watcher', 9_800);
  expect(await page.locator('#freshness').textContent()).toMatch(/^Not connected, last message /);
  expect(await page.locator('#alerts').textContent()).not.toContain('Not live');
  process.kill(watcher.pid, 'SIGCONT');
  await page.getByText('Stale: no contact with the watcher').waitFor({ state: 'detached' });
  await watcher.kill();
  await alert(page, 'Stale: no contact with the watcher');
  const again = await startServing(root, Number(new URL(watcher.url).port));
  expect(again.url).toBe(watcher.url);
  await page.getByText('Live, revision ').waitFor();
});
