/** The keys of `profile.yaml`; labels are `labels-as-written.test.ts`. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readProfileSettings } from '../../src/index.ts';
import { outline, settingsFolder, settingsOf } from '../settings-folder.ts';

const { dir, readProfile } = settingsFolder();

describe('profile.yaml is read', () => {
  it('with everything it may say', async () => {
    const text = `version: 1
description: Answers people in the support channel
labels: { tier: interactive, team: support }
gateway: { expected: true }
`;
    const file = await readProfile(text);
    expect(file).toMatchObject({ state: 'read', path: `${dir}/profile.yaml` });
    expect(settingsOf(file)).toEqual({
      version: 1,
      description: 'Answers people in the support channel',
      labels: { tier: 'interactive', team: 'support' },
      gateway: { expected: true },
    });
  });

  it('with a description of 200 characters, whatever they are', async () => {
    const description = '\u{1f600}'.repeat(200);
    const text = `version: 1\ndescription: ${description}\n`;
    expect(settingsOf(await readProfile(text)).description).toBe(description);
  });

  it('in every profile of the example fleet', async () => {
    const profiles = fileURLToPath(
      new URL('../../../../profiles.example/profiles', import.meta.url),
    );
    const names = readdirSync(profiles);
    expect(names).not.toEqual([]);
    for (const name of names) {
      const file = await readProfileSettings(`${profiles}/${name}`);
      expect(Object.keys(settingsOf(file).labels ?? {})).toContain('tier');
    }
  });
});

describe('profile.yaml is refused where it says something else', () => {
  it.each([
    ['description: 2026', 'invalid-value 2:14 description'],
    ['description:', 'invalid-value 2:1 description'],
    [`description: ${'x'.repeat(201)}`, 'invalid-value 2:14 description'],
    ['labels: tier', 'invalid-value 2:9 labels'],
    ['labels:\n  - tier', 'invalid-value 3:3 labels'],
    ['label: { tier: a }', 'unknown-key 2:1 label'],
    ['gateway: { expected: no }', 'invalid-value 2:22 gateway.expected'],
    ['gateway: { expect: true }', 'unknown-key 2:12 gateway.expect'],
    ['policies: {}', 'unknown-key 2:1 policies'],
  ])('%s', async (text, expected) => {
    expect(outline(await readProfile(`version: 1\n${text}\n`))).toEqual([expected]);
  });
});
