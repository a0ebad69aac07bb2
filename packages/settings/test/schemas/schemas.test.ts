/**
 * The JSON Schema files that are shipped for editors. After a change of the schemas, update them with
 * `npx vitest run packages/settings/test/schemas --update`.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { fleetSchema } from '../../src/parse/fleet-file.ts';
import { profileSchema } from '../../src/parse/profile-file.ts';
import { settingsFolder } from '../settings-folder.ts';
import { jsonSchemaText } from './json-schema.ts';

const { readFleet, readProfile } = settingsFolder();
const FLEET = '../../schemas/fleet.v1.schema.json';
const PROFILE = '../../schemas/profile.v1.schema.json';

it('the schema files are what the schemas make', async () => {
  await expect(jsonSchemaText(fleetSchema)).toMatchFileSnapshot(FLEET);
  await expect(jsonSchemaText(profileSchema)).toMatchFileSnapshot(PROFILE);
});

const shipped = (path: string) =>
  z.fromJSONSchema(JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')));

describe('an editor and the reader of fleet.yaml agree', () => {
  it.each([
    ['version: 1', true],
    ['version: 1\npolicies: { max_ttl: 1h30m, require_ttl_for: [ci-*] }', true],
    ['version: 1\npolicies: { max_ttl: 90 }', true],
    ['version: 1\nwatcher: { http: { port: 0 } }', true],
    ['', false],
    ['{}', false],
    ['version: 2', false],
    ['version: 1\npolices: {}', false],
    ['version: 1\npolicies: { max_ttl: soon }', false],
    ['version: 1\npolicies: { max_ttl: 30m1h }', false],
    ['version: 1\npolicies: { max_ttl: 0 }', false],
    ['version: 1\npolicies: { require_reason: yes }', false],
    ['version: 1\nobserve: never', false],
    ['version: 1\nwatcher: { http: { port: 65536 } }', false],
    ['version: 1\nwatcher: { webhooks: [{ url: "http://a" }] }', false],
  ])('on %j', async (text, good) => {
    expect(shipped(FLEET).safeParse(parse(text)).success).toBe(good);
    expect((await readFleet(text)).state).toBe(good ? 'read' : 'rejected');
  });
});

describe('an editor and the reader of profile.yaml agree', () => {
  it.each([
    [
      'version: 1\nlabels: { tier: batch, version: 1.10, build: 007, is-old: no, flag: true }',
      true,
    ],
    ['version: 1\ngateway: { expected: true }', true],
    [`version: 1\ndescription: ${'x'.repeat(200)}`, true],
    [`version: 1\ndescription: ${'x'.repeat(201)}`, false],
    ['version: 1\nlabels: { Tier: batch }', false],
    ['version: 1\nlabels: { tier: a b }', false],
    ['version: 1\nlabels: { tier: [a] }', false],
    ['version: 1\ngateway: { expected: no }', false],
    ['version: 1\ngateway: { restart: { systemd: a.service, user: true } }', true],
    ['version: 1\ngateway: { restart: { command: [make, restart] } }', true],
    ['version: 1\ngateway: { restart: { container: a, engine: podman } }', true],
    ['version: 1\ngateway: { restart: { systemd: a } }', false],
    ['version: 1\ngateway: { restart: { command: [] } }', false],
    ['version: 1\ngateway: { restart: { container: a, engine: sh } }', false],
  ])('on %j', async (text, good) => {
    expect(shipped(PROFILE).safeParse(parse(text)).success).toBe(good);
    expect((await readProfile(text)).state).toBe(good ? 'read' : 'rejected');
  });
});

it('the example fleet is good to an editor too', () => {
  const path = '../../../../profiles.example/profiles/lane-a/profile.yaml';
  const text = readFileSync(new URL(path, import.meta.url), 'utf8');
  expect(shipped(PROFILE).safeParse(parse(text)).success).toBe(true);
});
