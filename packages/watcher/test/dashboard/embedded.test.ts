/** The served files equal those in `page/`. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { embed, target } from '../../scripts/embed-dashboard.mjs';
import { served } from '../support/served.ts';

test('the embedded files are those in `page/`: else build the package', () => {
  expect(readFileSync(target, 'utf8')).toBe(embed());
});

test('nothing on the page comes from elsewhere, and no text becomes markup', () => {
  const text = embed();
  expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|style="/);
  expect(text).not.toMatch(/https?:\/\//);
});

test('each file has its type, and one that a browser has is not sent again', async () => {
  const fleet = await served();
  for (const [path, type] of [
    ['/', 'text/html; charset=utf-8'],
    ['/dashboard/script.js', 'text/javascript; charset=utf-8'],
    ['/dashboard/style.css', 'text/css; charset=utf-8'],
  ] as const) {
    const { status, headers } = await fleet.ask(path);
    expect([path, status, headers['content-type']]).toEqual([path, 200, type]);
    const again = await fleet.ask(path, { headers: { 'if-none-match': `${headers['etag']}` } });
    expect([path, again.status]).toEqual([path, 304]);
  }
});
