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

  it.each([
    { systemd: 'gateway@lane-a.service' },
    { systemd: 'gateway.service', user: true },
    { command: ['./restart', '', 'two words'] },
    { container: 'lane-a.gateway' },
    { container: 'lane-a', engine: 'podman' },
  ])('with the means to restart its gateway: %j', async (restart) => {
    const text = `version: 1\ngateway: { restart: ${JSON.stringify(restart)} }\n`;
    expect(settingsOf(await readProfile(text)).gateway).toEqual({ restart });
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
    ['gateway: { restart: now }', 'invalid-value 2:21 gateway.restart'],
    ['gateway: { restart: {} }', 'invalid-value 2:21 gateway.restart'],
    ['gateway: { restart: { engine: docker } }', 'invalid-value 2:21 gateway.restart'],
    [
      'gateway: { restart: { systemd: a.service, container: a } }',
      'invalid-value 2:21 gateway.restart',
    ],
    ['gateway: { restart: { container: a, user: true } }', 'invalid-value 2:21 gateway.restart'],
    [
      'gateway: { restart: { systemd: a.service, engine: docker } }',
      'invalid-value 2:21 gateway.restart',
    ],
    ['gateway: { restart: { systemd: a } }', 'invalid-value 2:32 gateway.restart.systemd'],
    ['gateway: { restart: { systemd: -H.service } }', 'invalid-value 2:32 gateway.restart.systemd'],
    [
      'gateway: { restart: { systemd: a b.service } }',
      'invalid-value 2:32 gateway.restart.systemd',
    ],
    [
      'gateway: { restart: { systemd: "*.service" } }',
      'invalid-value 2:32 gateway.restart.systemd',
    ],
    ['gateway: { restart: { container: --all } }', 'invalid-value 2:34 gateway.restart.container'],
    ['gateway: { restart: { container: a/b } }', 'invalid-value 2:34 gateway.restart.container'],
    [
      'gateway: { restart: { container: a, engine: sh } }',
      'invalid-value 2:45 gateway.restart.engine',
    ],
    ['gateway: { restart: { command: [] } }', 'invalid-value 2:32 gateway.restart.command'],
    ['gateway: { restart: { command: make } }', 'invalid-value 2:32 gateway.restart.command'],
    ['gateway: { restart: { command: [""] } }', 'invalid-value 2:32 gateway.restart.command'],
    ['gateway: { restart: { command: [a, 1] } }', 'invalid-value 2:36 gateway.restart.command[1]'],
    ['gateway: { restart: { shell: a, container: a } }', 'unknown-key 2:23 gateway.restart.shell'],
  ])('%s', async (text, expected) => {
    expect(outline(await readProfile(`version: 1\n${text}\n`))).toEqual([expected]);
  });
});
