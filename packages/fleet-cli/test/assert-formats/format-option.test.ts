/**
 * Which format is asked for, and that one that is not known is refused before anything is judged.
 */
import { describe, expect, it } from 'vitest';
import { makeFleet } from '../support/fleet.ts';
import { keyPathsOf } from '../support/key-paths.ts';

describe('--format', () => {
  it('json is what --json prints', () => {
    const { run } = makeFleet('lane-a');
    const words = ['assert', 'running'];
    const asked = run([...words, '--format', 'json']);
    expect(asked).toEqual(run([...words, '--json']));
    expect(asked).toEqual(run([...words, '--json', '--format', 'json']));
    expect(JSON.parse(asked.stdout).schema).toBe('fleet/assert/v1');
  });

  it('text is what is printed without it', () => {
    const { run } = makeFleet('lane-a');
    expect(run(['assert', 'running', '--format', 'text'])).toEqual(run(['assert', 'running']));
  });

  it.each([
    ['an unknown format', ['--format', 'xml']],
    ['an empty format', ['--format', '']],
    ['two formats', ['--format', 'junit', '--format', 'github']],
    ['another format with --json', ['--json', '--format', 'junit']],
    ['text with --json', ['--json', '--format', 'text']],
  ])('%s is refused, whatever the state', (_what, words) => {
    const { run } = makeFleet('lane-a');
    const { code, stdout, stderr } = run(['assert', 'running', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('NOT asserted');
  });
});

it('the document has these keys and no others', () => {
  const { json, run } = makeFleet('lane-a', 'lane-b');
  run(['pause', '-p', 'lane-a', '--allow-user', 'u1', '--allow-profile', 'lane-a']);
  const { document } = json(['assert', 'paused']);
  expect(keyPathsOf(document)).toMatchInlineSnapshot(`
    [
      "claim",
      "holder",
      "holds",
      "judgements",
      "judgements[].drain",
      "judgements[].gateway_absent",
      "judgements[].gateways",
      "judgements[].held_by",
      "judgements[].holders",
      "judgements[].may_pass",
      "judgements[].may_pass.profiles",
      "judgements[].may_pass.user_ids",
      "judgements[].profile",
      "judgements[].revision",
      "judgements[].state",
      "judgements[].unreadable",
      "judgements[].verdict",
      "labels_unknown",
      "outsiders",
      "profiles_unreadable",
      "root",
      "root_source",
      "schema",
      "skipped",
      "timed_out",
      "unserved",
      "waited_ms",
      "watcher",
      "watcher.epoch",
      "watcher.reached",
      "watcher.why",
    ]
  `);
});
