/**
 * Webhooks in the state document, by its schema, and in metrics with bounded labels.
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { hooked } from '../support/hooked.ts';
import { receiver } from '../support/receiver.ts';

test('the state shows them as the OpenAPI document says, failing and well', async () => {
  const good = await receiver();
  const bad = await receiver();
  bad.answer(500);
  const fleet = await hooked([
    { url: good.url, events: ['profile.*'] },
    { url: `${bad.url}/in?key=K`, secret_file: '.fleet/none' },
    { url: `${bad.url}/in?key=L` },
  ]);
  fleet.record('lane-a');
  await fleet.untilView(({ delivered }) => delivered === 1);
  await fleet.untilView(({ retried }) => retried > 0, 2);
  const { json: document } = await fleet.ask('/openapi.json');
  const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, 'uri-reference': true } });
  ajv.addSchema(document, 'openapi');
  const isState = ajv.getSchema('openapi#/components/schemas/State');
  const { json } = await fleet.ask('/v1/state');
  expect([isState?.(json), isState?.errors]).toEqual([true, null]);
  const { host } = new URL(bad.url);
  expect(json.webhooks).toMatchObject([
    { events: ['profile.*'], delivered: 1, last_success_at: expect.stringMatching(/^\d{4}-/) },
    { hook: host, url: `${bad.url}/in`, pending: 1, secret_refused: 'there is no such file' },
    { hook: `${host}#2`, last_error: 'it answered 500', last_success_at: null },
  ]);
  // A schema that did not look would be no check.
  expect(isState?.({ ...json, webhooks: [{ ...json.webhooks[0], pending: 'some' }] })).toBe(false);
});

test('a state that shows another count is another state to whoever asks again', async () => {
  const hook = await receiver();
  const fleet = await hooked([{ url: hook.url }]);
  const before = (await fleet.ask('/v1/state')).headers['etag'];
  expect((await fleet.ask('/v1/state')).headers['etag']).toBe(before);
  fleet.record('lane-a');
  await fleet.untilView(({ delivered }) => delivered === 1);
  expect((await fleet.ask('/v1/state')).headers['etag']).not.toBe(before);
});

test('metrics count them by host and outcome, and show nothing else of an address', async () => {
  const hook = await receiver();
  hook.answer((response, { event }) => {
    response.writeHead(event.data.profile === 'bad' ? 404 : 204).end();
  });
  const fleet = await hooked([{ url: `${hook.url}/PATH-OF-IT?key=QUERY` }]);
  for (const name of ['good', 'bad', 'good']) fleet.record(name);
  await fleet.untilView(({ delivered }) => delivered === 2);
  const { text } = await fleet.ask('/metrics');
  const name = new URL(hook.url).host;
  const lines = text.split('\n').filter((line) => line.includes('fleet_webhook'));
  expect(lines.filter((line) => !line.startsWith('#'))).toEqual([
    `fleet_webhook_deliveries_total{hook="${name}",outcome="delivered"} 2`,
    `fleet_webhook_deliveries_total{hook="${name}",outcome="failed"} 1`,
    `fleet_webhook_deliveries_total{hook="${name}",outcome="dropped"} 0`,
    `fleet_webhook_retries_total{hook="${name}"} 0`,
    `fleet_webhook_queue{hook="${name}"} 0`,
  ]);
  expect(text).not.toMatch(/PATH-OF-IT|QUERY/);
  expect(text.endsWith('\n')).toBe(true);
});

test('an address that is no host of this world makes a harmless label', async () => {
  const fleet = await hooked([{ url: 'http://a"b}c.example/' }]);
  const { text } = await fleet.ask('/metrics');
  expect(text).toContain('fleet_webhook_queue{hook="a_b_c.example"} 0');
});
