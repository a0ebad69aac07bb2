/**
 * How the page looks, as far as that can be asserted. With FLEET_SCREENSHOTS set to a folder, it
 * saves screenshots there.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { openReceipts, openRegister, receiptsPath } from '@fleet-estop/ledger';
import { arm } from '@fleet-estop/sentinel-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, openPage, startServing } from '../support/browser.ts';
import { writeToken } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';
import { crowd } from './crowd.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());

const folder = process.env['FLEET_SCREENSHOTS'];
async function picture(page: Page, name: string): Promise<void> {
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Serves two profiles, and acknowledges only the first. */
function gatewayOf(root: string): void {
  const socket = connect(join(root, '.fleet/watcher.sock'));
  onTestFinished(() => void socket.destroy());
  const say = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
  const served = (name: string) => ({ name, doors: ['turn'], in_flight: 1 });
  const profiles = [served('lane-a'), served('lane-b')];
  say({ type: 'hello', protocol: 1, instance: 'gateway-1', pid: 7, software: 'gw 1.2', profiles });
  socket.on('error', () => {});
  createInterface({ input: socket }).on('line', (line) => {
    const { type, epoch, revision, profile } = JSON.parse(line);
    if (type === 'state' && profile === 'lane-a') {
      say({ type: 'ack', epoch, revision, profile, in_flight: 0 });
    }
  });
}

/** What a gateway of this home leaves. */
function leaveRecords(home: string): void {
  const receipts = openReceipts(home, { instance: 'gateway-1' });
  const left = { profile: 'lane-b', holds: ['h'] };
  receipts.write({ ...left, door: 'cron', principal: null });
  for (let at = 0; at < 7; at++) receipts.write({ ...left, door: 'turn', principal: `user-${at}` });
  receipts.close();
  writeFileSync(receiptsPath(home), 'torn\n', { flag: 'a' });
  const register = openRegister(home, { instance: 'gateway-1' });
  onTestFinished(() => register.close());
  register.begin({ door: 'turn', id: 'chat-1', principal: 'ops' });
  mkdirSync(join(home, '.fleet/in-flight/claims', 'a'.repeat(32)));
}

/** How much lighter the lighter of two colours is, as WCAG 2 counts; text needs 4.5. */
const CONTRAST = `(selector) => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const light = (text) => rgb(text).slice(0, 3).map((part) => part / 255)
    .map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const ground = (node) => {
    const { backgroundColor } = getComputedStyle(node);
    return rgb(backgroundColor)[3] === 0 ? ground(node.parentElement) : backgroundColor;
  };
  return [...document.querySelectorAll(selector)].map((node) => {
    const pair = [light(getComputedStyle(node).color), light(ground(node))];
    return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
  });
}`;

test('in light and in dark every text can be read', { timeout: 60_000 }, async () => {
  const root = makeRoot('lane-a', 'lane-b', 'lane-c', 'mailroom', 'research');
  const token = writeToken(root);
  mkdirSync(join(root, 'profiles/NOT-A-LANE'));
  const expiresAt = new Date(Date.now() + 2_700_000).toISOString().replace('Z', '+00:00');
  const lane = join(root, 'profiles/lane-b');
  arm(disk, lane, { reason: 'bad deploy of the summariser', holder: 'ci', expiresAt });
  arm(disk, lane, { reason: 'looking at the queue' });
  writeFileSync(join(root, 'profiles/mailroom/ESTOP'), '');
  const watcher = await startServing(root);
  gatewayOf(root);
  leaveRecords(lane);
  const grounds: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await openPage(browser, watcher.url, { colorScheme });
    await page.getByText('lane-b: nothing yet (newest is').waitFor();
    await page.getByText('not all: 0 of 1').waitFor();
    await page.getByText('all 1').waitFor();
    await page.locator('#summary').filter({ hasText: '0 of 1 gateways have' }).waitFor();
    await page.getByRole('button', { name: 'Token…' }).click();
    await page.getByLabel('Content of .fleet/token').fill(token);
    await page.getByRole('button', { name: 'Use' }).click();
    await page.getByRole('button', { name: 'lane-b', exact: true }).click();
    const details = page.getByRole('group', { name: 'Details of lane-b' });
    await details.getByText('turn 7 · cron 1').waitFor();
    await details.getByText('1 running').waitFor();
    await details.getByText('turn chat-1').waitFor();
    await picture(page, colorScheme);
    grounds.push(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
    await page.getByRole('button', { name: 'Change lane-b' }).click();
    await picture(page, `${colorScheme}-dialog`);
    const texts = 'h1, h1 span, h2, h3, p, th, td, time, small, label, button, bdi, li';
    const contrasts = await page.evaluate<number[]>(`(${CONTRAST})(${JSON.stringify(texts)})`);
    expect(contrasts.length).toBeGreaterThan(50);
    expect(Math.min(...contrasts)).toBeGreaterThan(4.5);
  }
  expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(20, 22, 26)']);

  arm(disk, root, { reason: 'everything stops' });
  const narrow = await openPage(browser, watcher.url, { viewport: { width: 400, height: 900 } });
  await narrow.getByText('Paused, the whole fleet: everything stops').waitFor();
  await narrow.getByRole('button', { name: 'lane-b', exact: true }).click();
  await narrow.getByText('turn 7 · cron 1').waitFor();
  // Nobody has given this one the token.
  await narrow.getByText('Names are only shown with the token.').nth(1).waitFor();
  await picture(narrow, 'narrow');
  // The table scrolls, the page does not.
  expect(await narrow.evaluate('document.documentElement.scrollWidth')).toBe(400);
  const page = await openPage(browser, watcher.url, { colorScheme: 'dark' });
  await page.getByText('Paused, the whole fleet: everything stops').waitFor();
  await watcher.kill();
  await page.getByRole('alert').filter({ hasText: 'Stale' }).waitFor();
  await picture(page, 'stale-dark');
});

test('a thousand profiles of which all change are drawn without a long stop', {
  timeout: 60_000,
}, async () => {
  const root = makeRoot(
    ...Array.from({ length: 1_000 }, (_, n) => `lane-${String(n).padStart(4, '0')}`),
  );
  const { url } = await startServing(root);
  const page = await openPage(browser, url);
  await page.getByText('1000 of 1000 shown').waitFor();
  await picture(page, 'thousand');
  await page.evaluate(`globalThis.long = [];
    new PerformanceObserver((list) => long.push(...list.getEntries().map((e) => e.duration)))
      .observe({ type: 'longtask' })`);
  const added = await page.evaluate<number>(
    'document.querySelectorAll("#profile-rows tbody").length',
  );
  arm(disk, root, { reason: 'all of them' });
  await page.locator('#summary').filter({ hasText: '1000 of 1000 profiles' }).waitFor();
  expect(added).toBe(1_000);
  // Said for people; what is asserted is that no row was made anew.
  const long = await page.evaluate<number[]>('long.map(Math.round)');
  process.stdout.write(
    `tasks over 50 ms while a thousand profiles changed, in ms: ${long.join(' ')}\n`,
  );
  expect(await page.locator('#profile-rows tbody').count()).toBe(1_000);
});

test('that a thousand profiles are only asked for, or cannot be read, stands out in light and in dark', {
  timeout: 60_000,
}, async () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `lane-${String(n).padStart(4, '0')}`);
  const root = makeRoot(...names);
  for (const name of names.slice(0, 3)) arm(disk, join(root, 'profiles', name), { reason: 'held' });
  // With one stream to use up: each of 128 would be sent a thousand events, and nobody gives way.
  const limits = { unnamed: 1, evictableAfterMs: 600_000 };
  const { url } = await startServing(root, 0, 500, limits);
  await crowd(url, 1);
  const page = await openPage(browser, url);
  await page.getByRole('alert').filter({ hasText: 'Not live: ' }).waitFor();
  await page.getByText('1000 of 1000 shown').waitFor();
  const schemes = ['light', 'dark'] as const;
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await picture(page, `asking-${colorScheme}`);
  }
  const aside = `${root}-aside`;
  renameSync(root, aside);
  onTestFinished(() => rmSync(aside, { recursive: true, force: true }));
  await page.locator('#alerts .loud').waitFor();
  const grounds: string[] = [];
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme });
    await picture(page, `lost-${colorScheme}`);
    grounds.push(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
    const texts = '#alerts p, #summary, .state, .acks';
    const contrasts = await page.evaluate<number[]>(`(${CONTRAST})(${JSON.stringify(texts)})`);
    expect(contrasts.length).toBeGreaterThan(2_000);
    expect(Math.min(...contrasts)).toBeGreaterThan(4.5);
  }
  expect(grounds).toEqual(['rgb(255, 255, 255)', 'rgb(20, 22, 26)']);
});
