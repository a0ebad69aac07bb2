/**
 * Free text from files in the log.
 */
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLog } from '../../src/log.ts';
import { makeRoot } from '../support/watched.ts';

/** ESC, CSI as one character, a turn of the text, no width, a line separator, DEL, half a character. */
const NASTY = ['\u001b[2J', '\u009b2J', '\u202egnp.exe', '\u200b', '\u2028', '\u007f', '\ud83d'];

test('what a terminal would obey is written as an escape, and is read back as it was', async () => {
  const path = join(makeRoot(), 'log');
  const fd = openSync(path, 'w');
  const { log, close } = openLog('info', fd);
  for (const reason of NASTY) log.info({ reason, [reason]: true }, `held: ${reason}`);
  await close();
  closeSync(fd);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^[\n\x20-\x7e]*$/);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ reason }) => reason)).toEqual(NASTY);
});

test('letters of any script stay as they are', async () => {
  const path = join(makeRoot(), 'log');
  const fd = openSync(path, 'w');
  const { log, close } = openLog('info', fd);
  log.info({ reason: 'Überholung, 保守, 🚧' }, 'held');
  await close();
  closeSync(fd);
  expect(readFileSync(path, 'utf8')).toContain('Überholung, 保守, 🚧');
});
