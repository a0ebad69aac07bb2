/** The files that the README shows are valid. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { settingsFolder, settingsOf } from './settings-folder.ts';

const { readFleet, readProfile } = settingsFolder();
const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const blocks = [...readme.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text]) => text ?? '');

it('every settings file in the README is read as it stands', async () => {
  const [fleet, profile, modeline, ...others] = blocks;
  expect(others).toEqual([]);
  expect(settingsOf(await readFleet(fleet ?? '')).policies?.max_ttl?.text).toBe('8h');
  expect(settingsOf(await readProfile(profile ?? '')).labels?.['version']).toBe('1.10');
  expect(settingsOf(await readFleet(modeline ?? ''))).toEqual({ version: 1 });
});
