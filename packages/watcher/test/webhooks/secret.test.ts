/**
 * Which files are accepted as secrets, and that their content is never shown.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { redactedSettings } from '../../src/webhooks/redaction.ts';
import { readSecrets } from '../../src/webhooks/secret.ts';

function folder(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-secret-')));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

function reading(text: string, mode = 0o600) {
  const path = join(folder(), 'hook.secret');
  writeFileSync(path, text);
  chmodSync(path, mode);
  return readSecrets('/', path);
}

const KEY = Buffer.from('0123456789abcdefghijklmnopqrstuv');
const SECRET = `whsec_${KEY.toString('base64')}`;

test('a secret is base64 after its prefix, or the bytes of its text', () => {
  const found = reading(`${SECRET}\r\n\nplain-text-of-24-letters\n`);
  expect(found.state === 'read' && found.keys.map((key) => Buffer.from(key).toString())).toEqual([
    KEY.toString(),
    'plain-text-of-24-letters',
  ]);
});

test.each([
  ['nothing', '', 'it is empty'],
  ['only white space', ' \n\n', 'it is empty'],
  ['a short one', 'whsec_c2hvcnQ=', 'shorter than 24 bytes'],
  ['a short text', 'hunter2', 'shorter than 24 bytes'],
  ['a long one', 'x'.repeat(65), 'longer than 64 bytes'],
  ['no base64', `whsec_${'*'.repeat(40)}`, 'not base64'],
  ['base64 without its padding', SECRET.replace(/=+$/, ''), 'not base64'],
  ['a private key of the other scheme', `whsk_${'A'.repeat(44)}`, 'asymmetric'],
  ['a public key of the other scheme', `whpk_${'A'.repeat(44)}`, 'asymmetric'],
  ['spaces', 'a secret of several words here', 'without spaces'],
  ['bytes that are no text', '\u0000'.repeat(32), 'printable ASCII'],
  ['too many', `${SECRET}\n`.repeat(5), 'more than 4'],
  ['too much', 'x\n'.repeat(1_000), 'longer than 1024 bytes'],
])('%s is refused', (_what, text, why) => {
  const found = reading(text);
  expect(found).toEqual({ state: 'unusable', why: expect.stringContaining(why) });
  for (const line of text.split('\n').filter((each) => each.length > 6)) {
    expect(JSON.stringify(found)).not.toContain(line.replace('whsec_', ''));
  }
});

test.each([0o640, 0o604, 0o644, 0o620])('mode %o is refused', (mode) => {
  expect(reading(SECRET, mode)).toMatchObject({ why: expect.stringContaining('0600') });
});

test.each([0o400, 0o600])('mode %o is taken', (mode) => {
  expect(reading(SECRET, mode).state).toBe('read');
});

test('a file that is not there, or whose folder is none, is said to be missing', () => {
  const dir = folder();
  writeFileSync(join(dir, 'file'), '');
  expect(readSecrets(dir, 'none')).toMatchObject({ why: 'there is no such file' });
  expect(readSecrets(dir, 'file/none')).toMatchObject({ why: 'there is no such file' });
});

test('a folder and a FIFO are refused, without waiting for anybody', () => {
  const dir = folder();
  mkdirSync(join(dir, 'folder'), { mode: 0o700 });
  execFileSync('mkfifo', ['-m', '600', join(dir, 'fifo')]);
  expect(readSecrets(dir, 'folder')).toMatchObject({ why: 'it is not a regular file' });
  expect(readSecrets(dir, 'fifo')).toMatchObject({ why: 'it is not a regular file' });
});

test('a link is followed within its own folder, as mounted secrets are, and not out of it', () => {
  const dir = folder();
  mkdirSync(join(dir, 'mounted/..data'), { recursive: true });
  writeFileSync(join(dir, 'mounted/..data/secret'), SECRET, { mode: 0o600 });
  symlinkSync('..data/secret', join(dir, 'mounted/secret'));
  expect(readSecrets(dir, 'mounted/secret').state).toBe('read');
  mkdirSync(join(dir, 'other'));
  symlinkSync('../mounted/..data/secret', join(dir, 'other/secret'));
  symlinkSync('loop', join(dir, 'loop'));
  expect(readSecrets(dir, 'other/secret')).toMatchObject({
    why: 'it is a link to outside its folder',
  });
  expect(readSecrets(dir, 'loop')).toMatchObject({ why: 'ELOOP' });
});

test('a secret that stands in the place of its file’s name is refused, and not said', () => {
  const found = readSecrets('/', SECRET);
  expect(found).toEqual({ state: 'unusable', why: expect.stringContaining('path of a file') });
  const webhooks = [{ url: 'http://a/?key=K', secret_file: SECRET }];
  const said = JSON.stringify(redactedSettings({ version: 1, watcher: { webhooks } }));
  expect(said).toContain('"url":"http://a/"');
  expect(said).not.toContain(SECRET);
});

test('a file of another user is refused', (context) => {
  if (process.getuid?.() !== 0) {
    if (process.env['CI'] !== undefined) throw new Error('only root can give a file away');
    context.skip('only root can give a file away');
  }
  const path = join(folder(), 'hook.secret');
  writeFileSync(path, SECRET, { mode: 0o600 });
  chownSync(path, 65_534, 65_534);
  expect(readSecrets('/', path)).toMatchObject({ why: 'it belongs to another user' });
});
