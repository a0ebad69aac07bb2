/**
 * The example alerts use only what a running watcher serves.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { arm } from '@fleet-estop/sentinel-core';
import { beforeAll, expect, test } from 'vitest';
import { pushService } from '../../src/push/service.ts';
import { hooked } from '../support/hooked.ts';
import { helloOf, rawGateway } from '../support/push.ts';
import { disk, makeRoot } from '../support/watched.ts';

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly action: string };
}

/** The reader of `fleet.yaml`, which this package does not have itself. */
const settings = new URL('../../../settings/package.json', import.meta.url);
const { parse } = createRequire(settings)('yaml') as { parse: (text: string) => unknown };

const file = new URL('../../../../docs/watcher/alerts.example.yaml', import.meta.url);
let rules: readonly Rule[] = [];

beforeAll(() => {
  const { groups } = parse(readFileSync(file, 'utf8')) as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  rules = groups.flatMap((group) => group.rules);
});

test('each alert has a name of its own, a duration that Prometheus knows, and says what to do', () => {
  expect(rules.length).toBeGreaterThan(5);
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, for: wait = '1m', labels, annotations } of rules) {
    expect([alert, wait]).toEqual([alert, expect.stringMatching(/^\d+[smh]$/)]);
    expect(['warning', 'critical']).toContain(labels.severity);
    expect(annotations.summary).not.toBe('');
    expect(annotations.action).not.toBe('');
  }
});

test('every metric and label in them is one that a running watcher serves', async () => {
  const root = makeRoot('lane-a');
  arm(disk, root, {});
  const hook = { url: 'http://127.0.0.1:9/' };
  const fleet = await hooked([hook], {}, { root, services: [pushService] });
  const gateway = await rawGateway(join(root, '.fleet/watcher.sock'));
  gateway.say(helloOf('i', ['lane-a']));
  await gateway.state('lane-a');
  const { text } = await fleet.ask('/metrics');
  const samples = text.split('\n').filter((line) => line.startsWith('fleet_'));
  const isServed = (name: string, label?: string, value?: string) =>
    samples.some(
      (line) =>
        (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) &&
        (label === undefined || line.includes(`${label}="${value}"`)),
    );
  for (const { alert, expr } of rules) {
    const names = expr.match(/\bfleet_[a-z_]+/g) ?? [];
    expect([alert, names]).not.toEqual([alert, []]);
    for (const name of names) expect([name, isServed(name)]).toEqual([name, true]);
    for (const [, name = '', selectors = ''] of expr.matchAll(/(fleet_[a-z_]+)\{([^}]*)\}/g)) {
      for (const [, label = '', values = ''] of selectors.matchAll(/([a-z]+)=~?"([^"]*)"/g)) {
        for (const value of values.split('|')) {
          expect([name, value, isServed(name, label, value)]).toEqual([name, value, true]);
        }
      }
    }
  }
});
