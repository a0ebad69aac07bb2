/**
 * A real Chromium, and a watcher process that serves its pages and can be killed and restarted.
 */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { bundleFile } from '../../../../scripts/bundle.mjs';
import type { StreamLimits } from '../../src/serve/stream-admission.ts';
import { ensureChromium } from './chromium.ts';

/** One for a whole file of tests; whoever opens it closes it. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: ensureChromium(),
    args: [
      '--no-sandbox',
      '--headless=new',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });

/** A profile’s row on the dashboard. */
export const profileRow = (page: Page, name: string) =>
  page
    .locator('#profile-rows tbody')
    .filter({ has: page.getByRole('rowheader', { name, exact: true }) });

/** Waits until that row says so. */
export const inProfileRow = (page: Page, name: string, text: string | RegExp) =>
  profileRow(page, name).filter({ hasText: text }).waitFor();

/** A page of its own context: no tab of another test shares anything with it. */
export async function openPage(
  browser: Browser,
  url: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(45_000);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // The browser says by itself that a connection failed, which some tests bring about.
    if (message.type() === 'error' && !/ERR_|status of 4/.test(message.text())) {
      problems.push(message.text());
    }
  });
  onTestFinished(() => {
    if (problems.length > 0) throw new Error(`the page said: ${problems.join('\n')}`);
  });
  await page.goto(url);
  return page;
}

const built = await bundleFile(fileURLToPath(new URL('./serving-watcher.ts', import.meta.url)));

export interface ServingProcess {
  readonly url: string;
  readonly pid: number;
  kill(signal?: NodeJS.Signals): Promise<void>;
}

/** `port` 0: any free one. */
export async function startServing(
  root: string,
  port = 0,
  heartbeatMs = 500,
  streamLimits: Partial<StreamLimits> = {},
): Promise<ServingProcess> {
  const words = [root, String(port), String(heartbeatMs), JSON.stringify(streamLimits)];
  const child = spawn(process.execPath, [built, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  const [url] = await new Promise<[string]>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => resolve([line]));
    child.once('exit', (code) => reject(new Error(`it ended with ${code}`)));
  });
  return {
    url,
    pid: child.pid ?? 0,
    async kill(signal = 'SIGKILL') {
      child.kill(signal);
      await ended;
    },
  };
}
