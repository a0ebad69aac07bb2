/**
 * The settings that `fleet init` makes: valid as they are, and valid line by line.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFleetSettings } from '@fleet-estop/settings';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/fleet.ts';

const example = readFileSync(
  new URL('../../../../profiles.example/fleet.yaml', import.meta.url),
  'utf8',
);

async function read(text: string) {
  const root = temporaryFolder();
  writeFileSync(join(root, 'fleet.yaml'), text);
  return readFleetSettings(root);
}

it('the example sets nothing', async () => {
  expect(await read(example)).toMatchObject({ state: 'read', settings: { version: 1 } });
  const file = await read(example);
  expect(Object.keys(file.state === 'read' ? file.settings : {})).toEqual(['version']);
});

it('every setting in it that is commented out is one that works', async () => {
  // Prose begins with a capital letter or goes on in small ones; a setting is `key:` or a list.
  const working = example.replace(/^# ((?: {2})?[a-z_]+:(?: .*)?)$/gm, '$1');
  const file = await read(working);
  expect(file).toMatchObject({
    state: 'read',
    settings: {
      version: 1,
      policies: { require_reason: true, require_ttl_for: ['ci-*', 'deploy-bot'] },
      access: { group: 'ops' },
      observe: 'auto',
    },
  });
  expect(file.state === 'read' && file.settings.policies?.max_ttl?.text).toBe('8h');
});
