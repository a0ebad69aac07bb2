/**
 * Requests that are refused by host, origin or form.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hostName } from '../../src/serve/guards.ts';
import { ask, served, writeToken } from '../support/served.ts';

test('a name that is not of loopback is refused, whatever is asked', async () => {
  const fleet = await served();
  for (const host of ['evil.example', 'evil.example:7433', 'localhost.evil.example']) {
    for (const path of ['/', '/v1/state', '/v1/events', '/metrics', '/healthz', '/nothing']) {
      const { status, json } = await fleet.ask(path, { headers: { host } });
      expect([host, path, status, json.code]).toEqual([host, path, 403, 'host-unknown']);
    }
  }
  for (const host of ['localhost', 'LOCALHOST:9', '127.0.0.1:1', '[::1]:80']) {
    expect((await fleet.ask('/healthz', { headers: { host } })).status).toBe(200);
  }
});

test('a name of fleet.yaml is answered, so that a proxy can pass requests on', async () => {
  const fleet = await served();
  const asked = async (host: string): Promise<number | undefined> =>
    (await fleet.ask('/healthz', { headers: { host } })).status;
  expect(await asked('fleet.example:8443')).toBe(403);
  const settings = { version: 1, watcher: { http: { hosts: ['Fleet.example'] } } };
  writeFileSync(join(fleet.root, 'fleet.yaml'), JSON.stringify(settings));
  await expect.poll(() => asked('fleet.example:8443')).toBe(200);
  expect([await asked('localhost'), await asked('other.example')]).toEqual([200, 403]);
  const page = { host: 'fleet.example:8443', origin: 'https://fleet.example:8443' };
  expect((await fleet.ask('/v1/state', { headers: page })).status).toBe(200);
  const other = { host: 'fleet.example:8443', origin: 'https://other.example' };
  expect((await fleet.ask('/v1/state', { headers: other })).status).toBe(403);
  // As a proxy passes it on that leaves out the port: whoever set it up is told so.
  const portless = { host: 'fleet.example', origin: 'https://fleet.example:8443' };
  const { status, json } = await fleet.ask('/v1/state', { headers: portless });
  expect([status, json.hint]).toEqual([403, expect.stringContaining('`Host`')]);
});

test('a host is a name or an address, with a port or without', () => {
  expect(['a', 'A.b:80', '[::1]:7', '[::1]'].map(hostName)).toEqual(['a', 'a.b', '[::1]', '[::1]']);
  expect(['a b', 'a:', 'a/b', '[::1', 'a@b', 'a:123456'].map(hostName)).toEqual(
    Array(6).fill(null),
  );
});

test('a page of another origin may neither read nor write, not even with the token', async () => {
  const fleet = await served();
  const token = writeToken(fleet.root);
  const host = `127.0.0.1:${fleet.port}`;
  const own = { origin: `http://${host}`, 'sec-fetch-site': 'same-origin' };
  expect((await fleet.ask('/v1/state', { headers: own })).status).toBe(200);
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'http://127.0.0.1:1' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const read = await fleet.ask('/v1/state', { headers });
    expect([headers, read.status, read.json.code]).toEqual([headers, 403, 'origin-foreign']);
    const written = await fleet.ask('/v1/holds', {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{"root":true,"holder":"x"}',
    });
    expect(written.status).toBe(403);
    expect(written.headers['access-control-allow-origin']).toBeUndefined();
  }
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  expect((await fleet.ask('/healthz', { headers: link })).status).toBe(200);
});

test('every answer forbids what a browser could be talked into', async () => {
  const fleet = await served();
  for (const path of ['/', '/v1/state', '/nothing', '/metrics']) {
    const { headers } = await fleet.ask(path);
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toMatch(/no-(store|cache)/);
  }
});

test('whoever reaches the unix socket is answered under any name', async () => {
  const fleet = await served();
  const { status } = await ask({
    socketPath: fleet.socket,
    path: '/v1/state',
    headers: { host: 'fleet' },
  });
  expect(status).toBe(200);
});

test('malformed and oversized requests end their connection, and nothing else', async () => {
  const fleet = await served();
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET / HTTP/1.1\r\n\r\n',
    'GET / HTTP/1.0\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: 127.0.0.1@x\r\nConnection: close\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n',
    `GET /v1/state HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
    `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    'POST /v1/holds HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'GET /v1/profiles/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    'GET http://evil.example/v1/state HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    '\u0000\u0001\u0002\r\n\r\n',
  ]) {
    const socket = connect(fleet.port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
    });
    socket.on('error', () => {});
    socket.write(bytes);
    await once(socket, 'close');
    expect([bytes.slice(0, 40), text.split('\r\n')[0]]).toEqual([
      bytes.slice(0, 40),
      expect.stringMatching(/^HTTP\/1\.1 (4\d\d) /),
    ]);
  }
  expect((await fleet.ask('/healthz')).status).toBe(200);
});

test('whoever sends a request byte by byte is let go', async () => {
  const fleet = await served();
  const socket = connect(fleet.port, '127.0.0.1');
  const drip = setInterval(() => socket.write('x'), 500);
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nX: ');
  const [answer] = await once(socket, 'data');
  clearInterval(drip);
  expect(String(answer)).toContain('408');
  socket.destroy();
});
