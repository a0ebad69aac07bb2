/**
 * The keys of every `--json` document: none undocumented, and none that comes and goes.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Document, makeFleet, place } from '../support/fleet.ts';

const docs = readFileSync(new URL('../../../../docs/json.md', import.meta.url), 'utf8');

/** Every key at any depth, as a path; lists count as one. */
function pathsOf(value: Document, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsOf(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    `${path}.${key}`,
    ...pathsOf(inner, `${path}.${key}`),
  ]);
}

const keysOf = (document: Document): string[] => [
  ...new Set(pathsOf(document).map((path) => path.replace(/^.*\./, '').replaceAll('[]', ''))),
];

const VERBS: readonly (readonly string[])[] = [
  ['status'],
  ['explain', '-p', 'lane-a'],
  ['assert', 'paused'],
  ['assert', 'acknowledged'],
  ['history'],
  ['doctor'],
  ['pause', '--allow-user', 'u1'],
  ['pause', '--wait', '--timeout', '1s'],
  ['pause', '--drain', '--timeout', '0'],
  ['drain', '--timeout', '0'],
  ['assert', 'drained'],
  ['resume'],
  ['extend', '--ttl', '1h'],
  ['profiles'],
  ['init'],
  ['completion', 'bash'],
];

describe.each(VERBS)('fleet %s --json', (...words) => {
  it('has its schema first, and no key that docs/json.md does not describe', () => {
    const { json, sentinel } = makeFleet('lane-a', 'Not A Lane');
    place(sentinel('lane-a'), { holds: [{ id: 'x', holder: 'sre', allow: { user_ids: ['u'] } }] });
    const { document } = json(words);
    expect(Object.keys(document)[0]).toBe('schema');
    expect(document.schema).toBe(`fleet/${words[0]}/v1`);
    expect(docs).toContain(`## \`${document.schema}\``);
    for (const key of keysOf(document)) expect(docs).toContain(`\`${key}\``);
  });
});

describe('keys do not come and go', () => {
  const keys = (list: readonly object[]): string[][] =>
    list.map((item) => Object.keys(item).sort());

  it('a pause that failed has those of one that was done', () => {
    const { json } = makeFleet('lane-a', 'lane-b');
    json(['pause', '-p', 'lane-a', '--as', 'x']);
    const words = ['pause', '--if-generation', 'none', '-p', 'lane-a', '-p', 'lane-b'];
    const [failed, done] = keys(json(words).document.results);
    expect(failed).toEqual(done);
  });

  it('an unreadable scope has those of a readable one, and a free one has them, too', () => {
    const { json, sentinel } = makeFleet('lane-a', 'lane-b', 'lane-c');
    place(sentinel('lane-a'), 'torn {');
    place(sentinel('lane-b'), { reason: 'older tool' });
    const scopes = json(['status']).document.lanes.map(({ scope }: Document) => scope);
    const [torn, older, free] = keys(scopes);
    expect(torn).toEqual(older);
    expect(free).toEqual(older);
    const [unreadable, signed] = keys([scopes[0].holds[0], scopes[1].holds[0]]);
    expect(unreadable).toEqual(signed);
  });
});

it('half of a surrogate pair in somebody’s text does not make a document one that jq refuses', () => {
  const { root, sentinel, run } = makeFleet('lane-a');
  const hold = { id: 'x\ud800', holder: 'h\udc00', reason: 'a\ud800b', expires_at: '\ud800' };
  place(sentinel('lane-a'), { generation: '\ud800', holds: [hold] });
  for (const words of [['status'], ['explain', '-p', 'lane-a'], ['pause', '-p', 'lane-a']]) {
    const { stdout } = run([...words, '--json']);
    expect(stdout).not.toMatch(/\\ud[89a-f]/i);
    expect(stdout).toContain('a\ufffdb');
  }
  const { stdout } = run(['resume', '-p', 'lane-a', '--everyone', '--json']);
  expect(stdout).not.toMatch(/\\ud[89a-f]/i);
  expect(readFileSync(join(root, '.fleet', 'journal.ndjson'), 'utf8')).not.toMatch(/\\ud[89a-f]/i);
});
