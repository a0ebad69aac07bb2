/**
 * Each change has an id, and `resume --undo` takes back exactly what one of them placed.
 */
import { chmodSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bodyOf, type Document, exists, linesOf, makeFleet } from '../support/fleet.ts';

const journalOf = (root: string): Document[] => linesOf(join(root, '.fleet/journal.ndjson'));
const OPERATION = /^op-[0-9a-f]{12}$/;

describe('every change has an operation id', () => {
  it('pause, extend and resume print it, and it is in the JSON and in the journal', () => {
    const { root, json, run } = makeFleet('lane-a', 'lane-b');
    const done = [
      ['pause', '-p', 'lane-a', '-p', 'lane-b'],
      ['extend', '-p', 'lane-a', '--ttl', '1h', '--shorten'],
      ['resume', '-p', 'lane-a'],
    ].map((words) => json(words).document.operation);
    for (const id of done) expect(id).toMatch(OPERATION);
    expect(journalOf(root).map(({ operation }) => operation)).toEqual([
      done[0],
      done[0],
      done[1],
      done[2],
    ]);
    for (const words of [['pause'], ['extend', '--ttl', '1h', '--shorten'], ['resume']]) {
      expect(run(words).stdout).toMatch(/\bop-[0-9a-f]{12}\b/);
    }
  });

  it('a window prints it, and history tells it of each line', () => {
    const { run, json } = makeFleet('lane-a');
    const [id] = /op-[0-9a-f]{12}/.exec(run(['window', '--', 'true']).stderr) ?? [];
    expect(id).toMatch(OPERATION);
    const { records } = json(['history']).document;
    expect(records.map(({ operation }: Document) => operation)).toEqual([id, id]);
    expect(run(['history'], { env: { COLUMNS: '300' } }).stdout).toContain(`(${id})`);
  });

  it('what changed nothing, and a dry run, has none', () => {
    const { json } = makeFleet('lane-a');
    expect(json(['resume']).document.operation).toBeNull();
    expect(json(['pause', '--dry-run']).document.operation).toBeNull();
    expect(json(['pause', '-p', 'lane-a', '--if-generation', 'g']).document.operation).toBeNull();
  });
});

describe('a pause over one’s own hold that changes nothing', () => {
  it('leaves it as it is, says so, and is done', () => {
    const { root, run, json, sentinel } = makeFleet('lane-a');
    run(['pause', '--reason', 'audit', '--ttl', '1h', '--allow-user', 'u1']);
    const before = bodyOf(sentinel());
    const again = run(['pause', '--reason', 'audit', '--allow-user', 'u1']);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toMatch(/^ALREADY HELD the whole fleet/);
    expect(run(['pause']).stdout).toMatch(/^ALREADY HELD/);
    expect(bodyOf(sentinel())).toEqual(before);
    expect(journalOf(root)).toHaveLength(1);
    const { document } = json(['pause']);
    expect(document.operation).toBeNull();
    expect(document.results[0]).toMatchObject({
      armed: true,
      already_held: true,
      replaced: null,
      hold: { id: before.holds[0].id },
    });
  });

  it.each([
    ['another reason', ['--reason', 'other']],
    ['a deadline', ['--ttl', '3h']],
    ['no deadline any more', ['--no-ttl']],
    ['another allowlist', ['--allow-user', 'u2']],
    ['no allowlist any more', ['--no-allow']],
    ['a generation that is asked for', ['--if-generation', 'GENERATION']],
  ])('with %s it is written again', (_what, words) => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause', '--reason', 'audit', '--ttl', '1h', '--allow-user', 'u1']);
    const { generation } = bodyOf(sentinel());
    const { stdout } = run(['pause', ...words.map((w) => w.replace('GENERATION', generation))]);
    expect(stdout).toMatch(/^PAUSED again/);
    expect(bodyOf(sentinel()).generation).not.toBe(generation);
  });

  it('of several profiles, only those that it changes are written', () => {
    const { run, json } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    const { results } = json(['pause', '--all-profiles']).document;
    expect(results.map(({ already_held }: Document) => already_held)).toEqual([true, false]);
  });

  it('another holder’s hold is not one’s own', () => {
    const { json } = makeFleet('lane-a');
    json(['pause', '--as', 'deploy']);
    expect(json(['pause']).document.results[0]).toMatchObject({ already_held: false });
  });
});

describe('resume --undo', () => {
  it('leaves a profile held that was held before', () => {
    const { json, run, sentinel } = makeFleet('lane-a', 'lane-b', 'lane-c');
    run(['pause', '-p', 'lane-b', '--reason', 'audit']);
    const { operation } = json(['pause', '--all-profiles']).document;
    const { code, stdout } = run(['resume', '--undo', operation]);
    expect(code).toBe(0);
    expect(stdout).toContain('RESUMED lane-a');
    expect(['lane-a', 'lane-b', 'lane-c'].map((lane) => exists(sentinel(lane)))).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('leaves the holds of others: 7', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    run(['pause', '--as', 'deploy']);
    const { operation } = json(['pause']).document;
    expect(run(['resume', '--undo', operation]).code).toBe(7);
    expect(bodyOf(sentinel()).holds).toMatchObject([{ holder: 'deploy' }]);
  });

  it('lifts what was placed under any name, whoever asks', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    const { operation } = json(['pause', '--as', 'deploy']).document;
    expect(run(['resume', '--undo', operation], { env: { FLEET_HOLDER: 'alice' } }).code).toBe(0);
    expect(exists(sentinel())).toBe(false);
  });

  it.each([
    ['paused again', ['pause', '--reason', 'newer']],
    ['extended', ['extend', '--ttl', '2h']],
  ])('a hold that was %s since stays, and is named: 1', (_what, words) => {
    const { json, run, sentinel } = makeFleet('lane-a', 'lane-b');
    const lanes = ['-p', 'lane-a', '-p', 'lane-b'];
    const { operation } = json(['pause', ...lanes, '--ttl', '1h']).document;
    run([...words, '-p', 'lane-a']);
    const [standing] = bodyOf(sentinel('lane-a')).holds;
    const { code, stderr } = run(['resume', '--undo', operation]);
    expect(code).toBe(1);
    expect(stderr).toContain(
      `NOT lifted: lane-a: the hold that \`${operation}\` placed was replaced since`,
    );
    expect(stderr).toContain(standing.id);
    expect(bodyOf(sentinel('lane-a')).holds).toEqual([standing]);
    expect(exists(sentinel('lane-b'))).toBe(false);
  });

  it('a hold that the operation only changed stays, and is named: 7', () => {
    const { json, run, sentinel } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '--reason', 'audit']);
    const { operation } = json(['pause', '--all-profiles', '--reason', 'deploy']).document;
    const { code, stderr } = run(['resume', '--undo', operation]);
    expect(code).toBe(7);
    expect(stderr).toContain(
      `NOT lifted: lane-a: it was held by \`operator\` before \`${operation}\``,
    );
    expect([exists(sentinel('lane-a')), exists(sentinel('lane-b'))]).toEqual([true, false]);
  });

  it('twice: the second time nothing is left to lift', () => {
    const { json, run } = makeFleet('lane-a');
    const { operation } = json(['pause']).document;
    run(['resume', '--undo', operation]);
    const { code, stdout } = run(['resume', '--undo', operation]);
    expect(code).toBe(0);
    expect(stdout).toContain('nothing was held');
  });

  it('can be a dry run, and is an operation itself', () => {
    const { json, run, sentinel } = makeFleet('lane-a');
    const { operation } = json(['pause']).document;
    expect(run(['resume', '--undo', operation, '--dry-run']).stdout).toContain('WOULD BE RESUMED');
    expect(exists(sentinel())).toBe(true);
    const { document } = json(['resume', '--undo', operation]);
    expect(document.undone).toBe(operation);
    expect(document.operation).toMatch(OPERATION);
    expect(document.operation).not.toBe(operation);
  });

  it('a profile that was removed since is said, and the others are lifted', () => {
    const { json, run, folder, sentinel } = makeFleet('lane-a', 'lane-b');
    const { operation } = json(['pause', '--all-profiles']).document;
    rmSync(folder('lane-a'), { recursive: true });
    const { code, stdout } = run(['resume', '--undo', operation]);
    expect(code).toBe(0);
    expect(stdout).toContain('skipped lane-a: there is no such profile');
    expect(exists(sentinel('lane-b'))).toBe(false);
  });

  it.each([
    ['an unknown operation', () => 'op-000000000000', 'no operation `op-000000000000`'],
    ['one that placed nothing', (id: string) => id, 'placed no hold'],
  ])('%s is refused, and nothing is changed', (_what, idFor, said) => {
    const { json, run, sentinel } = makeFleet('lane-a');
    json(['pause']);
    const lift = json(['resume']).document.operation;
    json(['pause']);
    const { code, stderr } = run(['resume', '--undo', idFor(lift)]);
    expect(code).toBe(2);
    expect(stderr).toContain(said);
    expect(exists(sentinel())).toBe(true);
  });

  it.each([
    ['-p', 'lane-a'],
    ['--as', 'x'],
    ['--hold', 'x'],
    ['--everyone'],
    ['--if-generation', 'g'],
  ])('with %s it is refused: the operation says what is meant', (...words) => {
    const { run } = makeFleet('lane-a');
    expect(run(['resume', '--undo', 'op-000000000000', ...words]).code).toBe(2);
  });

  it('a journal that cannot be read is said, and nothing is lifted', () => {
    const { root, json, run, sentinel } = makeFleet('lane-a');
    const { operation } = json(['pause']).document;
    rmSync(join(root, '.fleet/journal.ndjson'));
    mkdirSync(join(root, '.fleet/journal.ndjson'));
    const { code, stderr } = run(['resume', '--undo', operation]);
    expect(code).toBe(1);
    expect(stderr).toContain('journal');
    expect(exists(sentinel())).toBe(true);
  });

  it('a pause that the journal could not take says that it cannot be undone by its id', () => {
    const { root, run } = makeFleet('lane-a');
    mkdirSync(join(root, '.fleet/journal.ndjson'), { recursive: true });
    chmodSync(join(root, '.fleet'), 0o700);
    expect(run(['pause']).stderr).toContain('`resume --undo` will not find it');
  });
});
