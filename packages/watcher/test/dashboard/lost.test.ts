/**
 * The dashboard of a fleet whose folder is gone: it counts as held, and the page claims nothing
 * else.
 */
import { renameSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { arm } from '@fleet-estop/sentinel-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, openPage, startServing } from '../support/browser.ts';
import { disk, makeRoot } from '../support/watched.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());

/** Serves both profiles, and says of each state at once that it is in force. */
function gatewayOf(root: string): void {
  const socket = connect(join(root, '.fleet/watcher.sock'));
  onTestFinished(() => void socket.destroy());
  const say = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
  const profiles = ['lane-a', 'lane-b'].map((name) => ({ name, doors: ['turn'], in_flight: 0 }));
  say({ type: 'hello', protocol: 1, instance: 'gateway-1', pid: 7, software: 'gw 1', profiles });
  socket.on('error', () => {});
  createInterface({ input: socket }).on('line', (line) => {
    const { type, epoch, revision, profile } = JSON.parse(line);
    if (type === 'state') say({ type: 'ack', epoch, revision, profile, in_flight: 0 });
  });
}

const LOST =
  /^The fleet cannot be read: .* \(ENOENT\)\. Every profile counts as held; the state shown/;
const bodies = (page: Page) =>
  page.locator('tbody, #summary, #announced, #shared').allTextContents();

test('a fleet whose folder is gone is shown as unreadable, and no profile as running or acknowledged', {
  timeout: 60_000,
}, async () => {
  const root = makeRoot('lane-a', 'lane-b');
  arm(disk, join(root, 'profiles/lane-b'), { reason: 'before' });
  const { url } = await startServing(root);
  gatewayOf(root);
  const page = await openPage(browser, url);
  const summary = (text: string) => page.locator('#summary').filter({ hasText: text }).waitFor();
  await summary('1 of 2 profiles paused; 1 of 1 gateways have acknowledged');
  const aside = `${root}-aside`;
  renameSync(root, aside);
  onTestFinished(() => rmSync(aside, { recursive: true, force: true }));

  await page.locator('#alerts .loud').filter({ hasText: LOST }).waitFor();
  await summary('The fleet cannot be read (ENOENT): 2 profiles count as held; what gateways have');
  expect(await page.title()).toBe('⚠ cannot be read — fleet');
  await page.getByRole('status').filter({ hasText: 'The fleet cannot be read' }).waitFor();
  const states = await page.locator('#profile-rows .state').allTextContents();
  expect(states).toEqual(Array(2).fill('■ Counts as held: cannot be read'));
  expect(await page.locator('#profile-rows .acks').allTextContents()).toEqual(
    Array(2).fill('not known'),
  );
  expect((await bodies(page)).join('\n')).not.toMatch(
    /running|acknowledged|\ball \d|until lifted/i,
  );
  // The only alert that is that loud, and the first.
  expect(await page.locator('#alerts > p').first().getAttribute('class')).toBe('alert loud');
  expect(await page.locator('#alerts .loud').count()).toBe(1);

  // Nor is what a profile has in hand, or has held back, known to be nothing.
  await page.getByRole('button', { name: 'lane-a', exact: true }).click();
  const details = page.getByRole('group', { name: 'Details of lane-a' });
  await details.getByText('Unknown: the fleet cannot be read (ENOENT).').nth(1).waitFor();
  expect(await details.textContent()).not.toMatch(/Nothing|No refusal|Read from disk/);

  renameSync(aside, root);
  await summary('1 of 2 profiles paused;');
  await details.getByText('No refusal on record.').waitFor();
  await page.getByText(LOST).waitFor({ state: 'detached' });
  await page.locator('#profile-rows .running').waitFor();
});
