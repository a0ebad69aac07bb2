/** The dashboard in a real Chromium. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm, check, lift } from '@fleet-estop/sentinel-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  inProfileRow,
  launchBrowser,
  openPage,
  profileRow,
  startServing,
} from '../support/browser.ts';
import { writeToken } from '../support/served.ts';
import { disk, makeRoot, spoil } from '../support/watched.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
}, 300_000);
afterAll(() => browser?.close());

const LONG = { timeout: 60_000 };
const STALE = /Stale: no contact with the watcher/;
const staleShown = (page: Page) => page.getByText(STALE).waitFor();
const staleGone = (page: Page) => page.getByText(STALE).waitFor({ state: 'detached' });

test(
  'profiles appear, and a pause on disk shows by itself, with reason, holder and time left',
  LONG,
  async () => {
    const root = makeRoot('lane-a', 'lane-b');
    const { url } = await startServing(root);
    const page = await openPage(browser, url);
    await inProfileRow(page, 'lane-a', 'Running');
    await inProfileRow(page, 'lane-b', 'Running');
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString().replace('Z', '+00:00');
    arm(disk, join(root, 'profiles/lane-b'), { reason: 'bad deploy', holder: 'ci', expiresAt });
    await inProfileRow(page, 'lane-b', /Paused \(this profile\).*bad deploy.*ci.*59m \d+s/);
    // Paused profiles come first.
    expect(await page.locator('#profile-rows tbody').first().textContent()).toContain('lane-b');
    expect(await page.title()).toBe('(1 paused) fleet');
    await page.getByText('hold.armed').waitFor();
    lift(disk, join(root, 'profiles/lane-b'), { holder: 'ci' });
    await inProfileRow(page, 'lane-b', 'Running');
    arm(disk, root, { reason: 'all of it' });
    await inProfileRow(page, 'lane-a', /Paused \(the whole fleet\).*all of it/);
    await page.getByText(/^Paused, the whole fleet: all of it/).waitFor();
  },
);

test('text from files stays text, and what would hide in it is seen', LONG, async () => {
  const root = makeRoot('lane-a');
  const reason = '<img src=x onerror="document.title=1"> \u202ereversed';
  arm(disk, join(root, 'profiles/lane-a'), { reason, holder: '<b>x</b>' });
  const { url } = await startServing(root);
  const page = await openPage(browser, url);
  await inProfileRow(page, 'lane-a', '<img src=x onerror="document.title=1"> \\u{202e}reversed');
  expect(await page.locator('#profile-rows img, #profile-rows b').count()).toBe(0);
});

test('a killed watcher is said at once, and a new one is followed by itself', LONG, async () => {
  const root = makeRoot('lane-a');
  const first = await startServing(root);
  const page = await openPage(browser, first.url);
  await inProfileRow(page, 'lane-a', 'Running');
  await first.kill();
  await staleShown(page);
  expect(await page.title()).toBe('⚠ stale — fleet');
  // What happens meanwhile is not known, and not claimed.
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'while nobody looked' });
  const second = await startServing(root, Number(new URL(first.url).port));
  expect(second.url).toBe(first.url);
  await inProfileRow(page, 'lane-a', /Paused.*while nobody looked/);
  await staleGone(page);
  await page.getByText('The watcher was restarted').waitFor();
});

test(
  'a watcher that hangs is stale after three heartbeats, and true again once it goes on',
  LONG,
  async () => {
    const root = makeRoot('lane-a');
    const watcher = await startServing(root);
    const page = await openPage(browser, watcher.url);
    await inProfileRow(page, 'lane-a', 'Running');
    process.kill(watcher.pid, 'SIGSTOP');
    arm(disk, join(root, 'profiles/lane-a'), { reason: 'hung' });
    await staleShown(page);
    await inProfileRow(page, 'lane-a', 'Running');
    process.kill(watcher.pid, 'SIGCONT');
    await inProfileRow(page, 'lane-a', /Paused.*hung/);
    await staleGone(page);
  },
);

test(
  'without a token nothing can be changed; with it, profiles are paused and resumed with a reason',
  LONG,
  async () => {
    const root = makeRoot('lane-a');
    const token = writeToken(root);
    const { url } = await startServing(root);
    const page = await openPage(browser, url);
    await inProfileRow(page, 'lane-a', 'Running');
    const change = page.getByRole('button', { name: 'Change lane-a' });
    expect(await change.isVisible()).toBe(false);
    const give = async (text: string) => {
      await page.getByRole('button', { name: 'Token…' }).click();
      await page.getByLabel('Content of .fleet/token').fill(text);
      await page.getByRole('button', { name: 'Use' }).click();
    };
    await give('not-the-token');
    await change.click();
    await page.getByLabel('Reason').fill('from the page');
    await page.getByLabel('Your name').fill('dana');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('the token is wrong').waitFor();
    expect(check(disk, join(root, 'profiles/lane-a')).engaged).toBe(false);
    await page.getByRole('button', { name: 'Close' }).click();

    await give(token);
    await change.click();
    // A reason is asked for.
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    expect(check(disk, join(root, 'profiles/lane-a')).engaged).toBe(false);
    await page.getByLabel('Reason').fill('from the page');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('The hold stands on disk.').waitFor();
    const found = check(disk, join(root, 'profiles/lane-a'));
    expect(found.engaged && found.holds[0]).toMatchObject({
      reason: 'from the page',
      holder: 'dana',
    });
    await page.getByRole('button', { name: /^Resume: lift the hold of dana/ }).click();
    await page.getByText('Lifted. Nothing else holds it.').waitFor();
    expect(check(disk, join(root, 'profiles/lane-a')).engaged).toBe(false);
    await page.getByRole('button', { name: 'Close' }).click();
    await inProfileRow(page, 'lane-a', 'Running');
  },
);

test(
  'a pause that would replace a hold shows what it replaces first, and says afterwards what it did',
  LONG,
  async () => {
    const root = makeRoot('lane-a');
    const lane = join(root, 'profiles/lane-a');
    const token = writeToken(root);
    const { url } = await startServing(root);
    const page = await openPage(browser, url);
    await page.getByRole('button', { name: 'Token…' }).click();
    await page.getByLabel('Content of .fleet/token').fill(token);
    await page.getByRole('button', { name: 'Use' }).click();
    arm(disk, lane, { holder: 'dana', reason: 'restoring', allow: { userIds: ['4711'] } });
    await inProfileRow(page, 'lane-a', 'Paused');
    await page.getByRole('button', { name: 'Change lane-a' }).click();
    await page.getByLabel('Reason').fill('deploy');
    await page.getByLabel('Your name').fill('dana');
    const reasons = () => {
      const found = check(disk, lane);
      return found.engaged ? found.holds.map(({ reason }) => reason) : [];
    };

    // A number alone would be seconds.
    await page.getByLabel('For', { exact: true }).fill('45');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('45 of what?').waitFor();
    expect(reasons()).toEqual(['restoring']);

    await page.getByLabel('For', { exact: true }).fill('45m');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page
      .getByText('restoring; until it is lifted; may pass: 4711', { exact: true })
      .waitFor();
    await page.getByText('had no end before').waitFor();
    expect(reasons()).toEqual(['restoring']);

    // Whoever writes meanwhile is not replaced unseen.
    arm(disk, lane, { holder: 'dana', reason: 'still restoring' });
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText('not armed: conflict').waitFor();
    expect(reasons()).toEqual(['still restoring']);

    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('still restoring; until it is lifted').waitFor();
    await page.getByRole('button', { name: 'Replace it' }).click();
    await page.getByText('It replaced the hold of dana: still restoring').waitFor();
    expect(reasons()).toEqual(['deploy']);

    // Somebody else's hold is not touched by another name, and nothing is asked.
    await page.getByLabel('Your name').fill('sam');
    await page.getByLabel('For', { exact: true }).fill('');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByText('The hold stands on disk.').waitFor();
    expect(reasons()).toEqual(['deploy', 'deploy']);
    // The list comes with the state: an older one has the hold that was replaced.
    const lift = (holder: string) =>
      page.getByRole('button', { name: `Resume: lift the hold of ${holder}: deploy` });
    await lift('sam').waitFor();
    await lift('dana').click();
    await page.getByText('it was the hold of').waitFor();
    const lines = readFileSync(join(root, '.fleet/journal.ndjson'), 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ event: 'lift', actor: { user: 'sam' } });
  },
);

test(
  'eight tabs use one stream, all of them get the state, and the ninth request is answered',
  LONG,
  async () => {
    const root = makeRoot('lane-a');
    const { url } = await startServing(root);
    const first = await openPage(browser, url);
    const tabs = [first];
    while (tabs.length < 8) {
      const tab = await first.context().newPage();
      await tab.goto(url);
      tabs.push(tab);
    }
    for (const tab of tabs) await inProfileRow(tab, 'lane-a', 'Running');
    const metrics = await (await fetch(`${url}metrics`)).text();
    expect(metrics).toMatch(/^fleet_stream_readers 1$/m);
    arm(disk, join(root, 'profiles/lane-a'), { reason: 'for all' });
    for (const tab of tabs) await inProfileRow(tab, 'lane-a', /Paused.*for all/);
    // The one that came first may go.
    await first.close();
    lift(disk, join(root, 'profiles/lane-a'), { everyone: true });
    for (const tab of tabs.slice(1)) await inProfileRow(tab, 'lane-a', 'Running');
  },
);

test('where no worker can be shared, one tab leads, and another takes over', LONG, async () => {
  const root = makeRoot('lane-a');
  const { url } = await startServing(root);
  const context = await browser.newContext();
  await context.addInitScript('delete globalThis.SharedWorker');
  const tabs = [await context.newPage(), await context.newPage()] as const;
  for (const tab of tabs) {
    await tab.goto(url);
    await inProfileRow(tab, 'lane-a', 'Running');
  }
  expect(await (await fetch(`${url}metrics`)).text()).toMatch(/^fleet_stream_readers 1$/m);
  await tabs[0].close();
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'led by another' });
  await inProfileRow(tabs[1], 'lane-a', /Paused.*led by another/);
  await staleGone(tabs[1]);
  await context.close();
});

test('a thousand profiles are listed, filtered and reached by keyboard', LONG, async () => {
  const names = Array.from({ length: 1_000 }, (_, n) => `lane-${String(n).padStart(4, '0')}`);
  const root = makeRoot(...names);
  for (const name of names.slice(0, 40)) {
    arm(disk, join(root, 'profiles', name), { reason: `reason of ${name}` });
  }
  const { url } = await startServing(root);
  const page = await openPage(browser, url);
  await page.getByText('1000 of 1000 shown').waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('reason of lane-0007');
  await page.getByText('1 of 1000 shown').waitFor();
  expect(await profileRow(page, 'lane-0007').isVisible()).toBe(true);
  expect(await profileRow(page, 'lane-0008').isVisible()).toBe(false);
  await page.getByLabel('Filter').fill('');
  await page.getByLabel('Only paused').check();
  await page.getByText('40 of 1000 shown').waitFor();
  arm(disk, join(root, 'profiles/lane-0500'), { reason: 'late' });
  await page.getByText('41 of 1000 shown').waitFor();
  // Rows are written to, not made anew.
  await page.evaluate(`document.querySelector('#profile-rows tbody').dataset.mark = 'kept'`);
  lift(disk, join(root, 'profiles/lane-0500'), { everyone: true });
  await page.getByText('40 of 1000 shown').waitFor();
  expect(await page.locator('#profile-rows tbody[data-mark="kept"]').count()).toBe(1);
});

test(
  'profiles that come and go, refused settings and what cannot be read are said',
  LONG,
  async () => {
    const root = makeRoot('lane-a');
    const { url } = await startServing(root);
    const page = await openPage(browser, url);
    await inProfileRow(page, 'lane-a', 'Running');
    mkdirSync(join(root, 'profiles/lane-new'));
    await inProfileRow(page, 'lane-new', 'Running');
    rmSync(join(root, 'profiles/lane-new'), { recursive: true });
    await profileRow(page, 'lane-new').waitFor({ state: 'detached' });
    writeFileSync(join(root, 'fleet.yaml'), 'version: 1\nobserve: nope\n');
    await page.getByText(/Settings rejected: .*fleet.yaml; defaults are in force/).waitFor();
    spoil(join(root, 'profiles/lane-a'));
    await page.getByText(/Cannot be read, counts as held: .*lane-a/).waitFor();
    await inProfileRow(page, 'lane-a', /Paused.*cannot be read/);
  },
);

test('a screen reader finds tables with headers, a summary and an alert', LONG, async () => {
  const root = makeRoot('lane-a');
  const watcher = await startServing(root);
  const page = await openPage(browser, watcher.url);
  await inProfileRow(page, 'lane-a', 'Running');
  await page.getByRole('table').first().getByRole('columnheader', { name: 'Time left' }).waitFor();
  await page.getByRole('rowheader', { name: 'lane-a' }).waitFor();
  await page.getByRole('status').filter({ hasText: '0 of 1 profiles paused' }).waitFor();
  await watcher.kill();
  await page.getByRole('alert').filter({ hasText: STALE }).waitFor();
  await page.getByRole('status').filter({ hasText: 'Last known' }).waitFor();
});
