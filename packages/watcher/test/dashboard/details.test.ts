/**
 * Refused work and work in hand of a profile on the dashboard, in a real Chromium.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openReceipts, openRegister, receiptsPath } from '@fleet-estop/ledger';
import { arm } from '@fleet-estop/sentinel-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launchBrowser, openPage, startServing } from '../support/browser.ts';
import { writeToken } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());

const LONG = { timeout: 60_000 };
const opener = (page: Page, lane: string) => page.getByRole('button', { name: lane, exact: true });
const detailsOf = (page: Page, lane: string) =>
  page.getByRole('group', { name: `Details of ${lane}` });
const inDetails = (page: Page, lane: string, text: string | RegExp) =>
  detailsOf(page, lane).getByText(text).waitFor();

function refuse(home: string, ...all: readonly (readonly [string, string | null])[]): void {
  const receipts = openReceipts(home, { instance: 'gateway-1' });
  for (const [door, principal] of all) {
    receipts.write({ door, principal, profile: 'lane-a', holds: ['h1'] });
  }
  receipts.close();
}

/** As if somebody had given it in this tab. */
const give = (page: Page, token: string) =>
  page.evaluate(`sessionStorage.setItem('fleet-token', ${JSON.stringify(token)})`);

/** Opened anew it is read at once. */
async function openAnew(page: Page, lane: string): Promise<void> {
  await opener(page, lane).click();
  await detailsOf(page, lane).waitFor({ state: 'detached' });
  await opener(page, lane).click();
}

function registerOf(home: string) {
  const register = openRegister(home, { instance: 'gateway-1' });
  onTestFinished(() => register.close());
  return register;
}

test(
  'a profile is opened and closed by keyboard, and says what was held back and is in hand',
  LONG,
  async () => {
    const root = makeRoot('lane-a', 'lane-b');
    const home = join(root, 'profiles/lane-a');
    refuse(home, ['turn', 'ops'], ['cron', null], ['turn', '<b>ci</b>\u202e']);
    const register = registerOf(home);
    register.begin({ door: 'turn', id: 'chat-1', principal: 'carol' });
    const token = writeToken(root);
    const { url } = await startServing(root);
    const page = await openPage(browser, url);
    await give(page, token);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    await opener(page, 'lane-a').waitFor();
    expect(await opener(page, 'lane-a').getAttribute('aria-expanded')).toBe('false');
    // Nobody asks before somebody looks.
    expect(asked.filter((path) => /refusals|profiles/.test(path))).toEqual([]);

    await opener(page, 'lane-a').focus();
    await page.keyboard.press('Enter');
    expect(await opener(page, 'lane-a').getAttribute('aria-expanded')).toBe('true');
    await inDetails(page, 'lane-a', 'turn 2 · cron 1');
    await inDetails(page, 'lane-a', '<b>ci</b>\\u{202e}');
    await inDetails(page, 'lane-a', 'unknown principal');
    await inDetails(page, 'lane-a', '1 running');
    await inDetails(page, 'lane-a', 'turn chat-1');
    await inDetails(page, 'lane-a', 'for carol');
    expect(
      await detailsOf(page, 'lane-a')
        .getByText(/only shown with the token/)
        .count(),
    ).toBe(0);
    expect(await detailsOf(page, 'lane-a').locator('b').count()).toBe(0);
    expect(await detailsOf(page, 'lane-a').getByRole('heading').allTextContents()).toEqual([
      'Refused work',
      'Work in hand',
    ]);

    // While it is open it is read again; and holds come and go above it.
    refuse(home, ['turn', 'dora']);
    await inDetails(page, 'lane-a', 'turn 3 · cron 1');
    arm(disk, home, { reason: 'first', holder: 'ci' });
    arm(disk, home, { reason: 'second' });
    await page.getByText('second').first().waitFor();
    const rows = page.locator('#profile-rows tbody').first().locator('tr');
    await rows.nth(2).waitFor();
    expect(await rows.last().textContent()).toContain('Refused work');
    expect(await detailsOf(page, 'lane-a').count()).toBe(1);

    await opener(page, 'lane-a').focus();
    await page.keyboard.press('Space');
    await detailsOf(page, 'lane-a').waitFor({ state: 'detached' });
    expect(await opener(page, 'lane-a').getAttribute('aria-expanded')).toBe('false');
    expect(asked.some((path) => path.includes('lane-b'))).toBe(false);
  },
);

test(
  'without the token nobody is named, and the page says so once; with a wrong one nothing is shown',
  LONG,
  async () => {
    const root = makeRoot('lane-a');
    const home = join(root, 'profiles/lane-a');
    refuse(home, ['turn', 'ops'], ['cron', null]);
    registerOf(home).begin({ door: 'turn', id: 'chat-1', principal: 'ops' });
    const token = writeToken(root);
    const { url } = await startServing(root);
    const page = await openPage(browser, url);
    await opener(page, 'lane-a').click();
    const withheld = detailsOf(page, 'lane-a').getByText('Names are only shown with the token.');
    await inDetails(page, 'lane-a', 'cron 1 · turn 1');
    await inDetails(page, 'lane-a', '1 running');
    expect(await withheld.count()).toBe(2);
    expect(await page.locator('body').textContent()).not.toMatch(
      /\bann\b|chat-1|unknown principal/,
    );
    // What a tab is given counts at the next reading.
    await give(page, token);
    await inDetails(page, 'lane-a', 'for ops');
    await inDetails(page, 'lane-a', /^ops$/);
    await inDetails(page, 'lane-a', 'unknown principal');
    await inDetails(page, 'lane-a', 'turn chat-1');
    expect(await withheld.count()).toBe(0);
    // Not one that could be sent as it is.
    await give(page, 'ｔｏｋｅｎ');
    await openAnew(page, 'lane-a');
    await detailsOf(page, 'lane-a')
      .getByText('Unknown: the token in this tab is not the watcher’s')
      .nth(1)
      .waitFor();
    expect(await detailsOf(page, 'lane-a').textContent()).not.toMatch(/turn|running|Nothing/);
  },
);

test(
  'nothing on record is said as that, and what cannot be read is not said as nothing',
  LONG,
  async () => {
    const root = makeRoot('lane-a', 'lane-b');
    const torn = receiptsPath(join(root, 'profiles/lane-b'));
    mkdirSync(dirname(torn), { recursive: true });
    writeFileSync(torn, 'torn');
    writeFileSync(join(dirname(torn), 'in-flight'), '');
    const { url } = await startServing(root);
    const page = await openPage(browser, url);
    await opener(page, 'lane-a').click();
    await inDetails(page, 'lane-a', 'No refusal on record.');
    await inDetails(page, 'lane-a', 'Nothing.');
    await opener(page, 'lane-b').click();
    await inDetails(page, 'lane-b', 'Lines that are not receipts: 1.');
    await inDetails(page, 'lane-b', 'Not everything could be read. Read: 0.');
    await inDetails(page, 'lane-b', 'Cannot be read: claims (ENOTDIR)');
    // A profile that goes takes its details along.
    rmSync(join(root, 'profiles/lane-a'), { recursive: true });
    await detailsOf(page, 'lane-a').waitFor({ state: 'detached' });
    await inDetails(page, 'lane-b', 'Lines that are not receipts: 1.');
  },
);

test(
  'a watcher that cannot answer is reported, and what it answered before is shown as old',
  LONG,
  async () => {
    const root = makeRoot('lane-a');
    refuse(join(root, 'profiles/lane-a'), ['turn', 'ops']);
    const { url } = await startServing(root);
    // Not by `openPage`, which takes what the browser says of a 500 for a fault of the page.
    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(45_000);
    const failures: string[] = [];
    page.on('pageerror', (error) => failures.push(String(error)));
    let answer: { readonly status: number; readonly body: string } | null = {
      status: 404,
      body: '',
    };
    await page.route('**/v1/refusals?*', (route) =>
      answer === null ? route.continue() : route.fulfill(answer),
    );
    await page.goto(url);
    await opener(page, 'lane-a').click();
    await inDetails(
      page,
      'lane-a',
      /Unknown: the watcher has no such profile, or does not show this/,
    );
    // The other part stands by itself.
    await inDetails(page, 'lane-a', 'Nothing.');
    answer = { status: 200, body: '{"schema":"another"}' };
    await openAnew(page, 'lane-a');
    await inDetails(page, 'lane-a', /Unknown: this page does not fit the watcher/);
    answer = { status: 500, body: '{}' };
    await openAnew(page, 'lane-a');
    await inDetails(page, 'lane-a', 'Unknown: the watcher could not answer (500).');
    answer = null;
    await inDetails(page, 'lane-a', 'turn 1');
    await page.getByText(/Unknown: /).waitFor({ state: 'detached' });
    answer = { status: 500, body: '{}' };
    await inDetails(page, 'lane-a', 'Unknown: the watcher could not answer (500).');
    await inDetails(page, 'lane-a', 'turn 1');
    await inDetails(page, 'lane-a', /^Shown as read from disk \d+s ago\.$/);
    expect(failures).toEqual([]);
  },
);
