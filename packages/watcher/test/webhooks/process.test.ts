/**
 * Webhooks of the real watcher process: what it logs about them, and what it never logs.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { arm, lift } from '@fleet-estop/sentinel-core';
import { Webhook } from 'standardwebhooks';
import { expect, onTestFinished, test } from 'vitest';
import { newSecret, writeHooks, writeSecret } from '../support/hooked.ts';
import { built } from '../support/process.ts';
import { receiver } from '../support/receiver.ts';
import { ask } from '../support/served.ts';
import { disk, makeRoot } from '../support/watched.ts';

interface Running {
  /** Everything that it wrote, on both streams. */
  text(): string;
  ask(path: string): Promise<{ readonly text: string; readonly status: number }>;
  end(signal: NodeJS.Signals): Promise<void>;
}

async function running(root: string, env: Readonly<Record<string, string>> = {}): Promise<Running> {
  const child = spawn(process.execPath, [built, '--root', root, '--port', '0'], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'] ?? '', TZ: 'UTC', USER: 'tester', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  const ready = new Promise<void>((resolve) => {
    const heard = (chunk: Buffer) => {
      text += String(chunk);
      if (text.includes('"msg":"watching"')) resolve();
    };
    child.stdout.on('data', heard);
    child.stderr.on('data', heard);
  });
  await ready;
  const ended = once(child, 'exit');
  return {
    text: () => text,
    ask: (path) => ask({ socketPath: join(root, '.fleet/http.sock'), path }),
    async end(signal) {
      child.kill(signal);
      await ended;
    },
  };
}

test('neither a secret nor the query of an address is in the log, the state or a metric', async () => {
  const hook = await receiver();
  hook.answer(401);
  const root = makeRoot('lane-a');
  const secret = newSecret();
  writeSecret(root, secret);
  writeHooks(root, [{ url: `${hook.url}/in?key=KEY-OF-A-PROXY` }]);
  const watcher = await running(root);
  arm(disk, join(root, 'profiles/lane-a'), {});
  await hook.untilCount(2);
  // Unusable ones must not be quoted either.
  const broken = 'BROKEN-SECRET with spaces, and long enough';
  writeSecret(root, broken);
  arm(disk, root, {});
  const said = async () => {
    const answers = await Promise.all(['/v1/state', '/metrics', '/readyz'].map(watcher.ask));
    return answers.map(({ text }) => text).join('\n');
  };
  // Its file is read again before the next attempt.
  while (!(await said()).includes('without spaces')) await delay(20);
  const everything = `${await said()}\n${watcher.text()}`;
  expect(everything).toContain(`${hook.url}/in`);
  expect(everything).toContain('it answered 401');
  expect(everything).not.toContain(secret);
  expect(everything).not.toContain(secret.slice('whsec_'.length));
  expect(everything).not.toContain('BROKEN-SECRET');
  expect(everything).not.toContain('KEY-OF-A-PROXY');
  await watcher.end('SIGTERM');
  expect(watcher.text()).toContain('closed before all events were accepted');
});

test('proxies of the environment are not used', async () => {
  const proxy = await receiver();
  const hook = await receiver();
  const root = makeRoot('lane-a');
  writeSecret(root, newSecret());
  writeHooks(root, [{ url: hook.url }]);
  const env = { HTTP_PROXY: proxy.url, http_proxy: proxy.url, ALL_PROXY: proxy.url };
  await running(root, { ...env, NODE_USE_ENV_PROXY: '1' });
  arm(disk, root, {});
  await hook.untilCount(2);
  expect(proxy.posts).toHaveLength(0);
});

test('after a kill -9, the next watcher posts what stands under another epoch, and claims no more', async () => {
  const hook = await receiver();
  const root = makeRoot('lane-a', 'lane-b');
  const secret = newSecret();
  writeSecret(root, secret);
  writeHooks(root, [{ url: hook.url, events: ['hold.*'] }]);
  const first = await running(root);
  arm(disk, join(root, 'profiles/lane-a'), { reason: 'stays' });
  arm(disk, join(root, 'profiles/lane-b'), { reason: 'goes' });
  await hook.untilCount(2);
  await first.end('SIGKILL');
  lift(disk, join(root, 'profiles/lane-b'), { everyone: true });
  expect(existsSync(join(root, 'profiles/lane-a/ESTOP'))).toBe(true);
  const second = await running(root);
  const posts = await hook.untilCount(3);
  const said = posts.map(({ event }) => [event.type, event.data.hold.reason]);
  expect(said[2]).toEqual(['hold.armed', 'stays']);
  expect(new Set(posts.map(({ event }) => event.epoch)).size).toBe(2);
  for (const { body, headers } of posts) {
    expect(new Webhook(secret).verify(body, headers)).toBeDefined();
  }
  // Nobody saw the lift, so nobody says that there was one; and no count goes on.
  expect(said.flat()).not.toContain('hold.lifted');
  const { webhooks } = JSON.parse((await second.ask('/v1/state')).text);
  expect(webhooks).toMatchObject([{ delivered: 1, missed: 0, failed: 0 }]);
});
