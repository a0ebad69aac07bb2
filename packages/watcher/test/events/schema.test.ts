/**
 * The shipped event schema. After a change of event data, write it again with `npx vitest run
 * packages/watcher/test/events/schema.test.ts --update`.
 */
import { readFileSync } from 'node:fs';
import { EVENT_TYPES } from '@fleet-estop/protocol';
import { describe, expect, test } from 'vitest';
import { faultsOf } from './judge.ts';
import { fileText } from './schema-file.ts';

test('the schema file is what the served document says of events', async () => {
  await expect(fileText()).toMatchFileSnapshot('../../schemas/event-v1.schema.json');
});

const good = {
  specversion: '1.0',
  id: 'a1-7',
  source: 'file://host/fleet',
  type: 'profile.paused',
  subject: 'profile/lane-a',
  time: '2026-11-29T17:00:00.000+00:00',
  datacontenttype: 'application/json',
  epoch: 'a1',
  revision: 7,
  data: { profile: 'lane-a', engaged: true },
};

test('an event that is as it should be has no faults', () => {
  expect(faultsOf(good)).toEqual([]);
  expect(faultsOf({ ...good, missed: 3 })).toEqual([]);
});

test.each([
  ['another version', { specversion: '0.3' }],
  ['no id', { id: undefined }],
  ['an empty source', { source: '' }],
  ['a type that there is not', { type: 'profile.stopped' }],
  ['a subject of another type', { subject: 'gateway/i' }],
  ['a time that is none', { time: 'yesterday' }],
  ['nothing missed', { missed: 0 }],
  ['data of another type', { data: { path: '/f', problems: [], in_force: 'defaults' } }],
  ['data that contradicts its type', { data: { profile: 'lane-a', engaged: false } }],
  ['data with a key that is not described', { data: { ...good.data, why: 'x' } }],
  ['an attribute with a bad name', { 'Bad-Name': 'x' }],
  ['an attribute without a value', { extra: null }],
])('an event with %s has faults', (_what, change) => {
  expect(faultsOf(JSON.parse(JSON.stringify({ ...good, ...change })))).not.toEqual([]);
});

describe('docs/events.md', () => {
  const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');
  const examples = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) =>
    JSON.parse(json ?? ''),
  );

  test('shows every event that there is, once and in their order', () => {
    expect(examples.map(({ type }) => type)).toEqual(EVENT_TYPES);
  });

  test('shows events as they are', () => {
    for (const event of examples) expect([event.type, faultsOf(event)]).toEqual([event.type, []]);
  });
});
