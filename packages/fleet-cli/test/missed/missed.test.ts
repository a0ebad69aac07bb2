/** `resume --missed`: what becomes of missed work is written beside each hold before it is lifted. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readMissed } from '@fleet-estop/sentinel-core';
import { describe, expect, it } from 'vitest';
import { bodyOf, exists, type Fleet, makeFleet, preloaded } from '../support/fleet.ts';

/** Kills the command where the lift begins: at its first change below the tenure's folder. */
const KILLED = `
  const fs = require('node:fs');
  for (const name of ['mkdirSync', 'renameSync']) {
    const original = fs[name];
    fs[name] = (...paths) => {
      if (paths.some((path) => String(path).includes('.ESTOP.'))) process.kill(process.pid, 'SIGKILL');
      return original(...paths);
    };
  }
  require('node:module').syncBuiltinESMExports();`;

const holdIn = ({ sentinel }: Fleet, lane?: string): string => bodyOf(sentinel(lane)).holds[0].id;
const choiceOf = (fleet: Fleet, id: string, lane?: string) => readMissed(fleet.folder(lane), id);
const filesIn = (fleet: Fleet, lane?: string): string[] => {
  const folder = join(fleet.folder(lane), '.fleet', 'missed');
  return exists(folder) ? readdirSync(folder) : [];
};

describe('the choice', () => {
  it.each(['skip', 'catch-up', 'ask'])('`%s` is there when the hold is gone', (choice) => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    const id = holdIn(fleet);
    const { code, document } = fleet.json(['resume', '--missed', choice]);
    expect({ code, missed: document.missed }).toEqual({ code: 0, missed: choice });
    expect(exists(fleet.sentinel())).toBe(false);
    expect(choiceOf(fleet, id)).toEqual({ state: 'chosen', choice });
    const written = readFileSync(join(fleet.root, '.fleet', 'missed', `${id}.json`), 'utf8');
    expect(JSON.parse(written)).toMatchObject({ version: 1, choice, hold: id, by: 'tester' });
  });

  it('is said to people', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    expect(fleet.run(['resume', '--missed', 'skip']).stdout).toContain(
      'skip: gateways are told not to run it',
    );
  });

  it('lies beside the holds of each profile, for the holds that are lifted and no others', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    fleet.run(['pause', '-p', 'lane-a', '-p', 'lane-b', '--as', 'deploy']);
    fleet.run(['pause', '-p', 'lane-a']);
    const own = bodyOf(fleet.sentinel('lane-a')).holds.find(
      ({ holder }: { holder: string }) => holder === 'operator',
    ).id;
    fleet.run(['resume', '-p', 'lane-a', '--missed', 'skip']);
    expect(filesIn(fleet, 'lane-a')).toEqual([`${own}.json`]);
    expect(filesIn(fleet, 'lane-b')).toEqual([]);
    expect(filesIn(fleet)).toEqual([]);
  });

  it('comes with --undo, too', () => {
    const fleet = makeFleet('lane-a');
    const { operation } = fleet.json(['pause', '-p', 'lane-a']).document;
    const id = holdIn(fleet, 'lane-a');
    fleet.run(['resume', '--undo', operation, '--missed', 'ask']);
    expect(choiceOf(fleet, id, 'lane-a')).toEqual({ state: 'chosen', choice: 'ask' });
  });

  it('comes with each wave of a staged resume, and with the root', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    fleet.run(['pause']);
    const id = holdIn(fleet);
    const words = ['--staged', '--step', '1', '--every', '1s', '--missed', 'skip'];
    const { code, document } = fleet.json(['resume', ...words]);
    expect({ code, missed: document.missed }).toEqual({ code: 0, missed: 'skip' });
    expect(filesIn(fleet)).toEqual([`${id}.json`]);
    for (const lane of ['lane-a', 'lane-b']) {
      const [name = '', ...others] = filesIn(fleet, lane);
      expect(others).toEqual([]);
      const hold = name.replace('.json', '');
      expect(choiceOf(fleet, hold, lane)).toEqual({ state: 'chosen', choice: 'skip' });
    }
  });

  it('of a staged resume that stops is part of the command that goes on', () => {
    const fleet = makeFleet('lane-a', 'lane-b');
    fleet.run(['pause']);
    const words = ['--staged', '--step', '1', '--every', '1s', '--abort-if', 'false'];
    const { document } = fleet.json(['resume', ...words, '--missed', 'skip']);
    expect(document.continue_with).toContain('--missed skip');
  });

  it('is not written in a dry run', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    expect(fleet.run(['resume', '--missed', 'skip', '--dry-run']).code).toBe(0);
    expect(filesIn(fleet)).toEqual([]);
  });

  it.each(['run', '', 'Skip'])('must be a word that gateways know: `%s` is refused', (choice) => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    expect(fleet.run(['resume', '--missed', choice]).code).toBe(2);
    expect(exists(fleet.sentinel())).toBe(true);
  });
});

describe('a lift that does not happen', () => {
  it('because the choice cannot be written, leaves the hold, and says what to do: exit 1', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause', '-p', 'lane-a']);
    writeFileSync(join(fleet.folder('lane-a'), '.fleet'), 'no folder');
    const { code, stderr } = fleet.run(['resume', '-p', 'lane-a', '--missed', 'skip']);
    expect(code).toBe(1);
    expect(exists(fleet.sentinel('lane-a'))).toBe(true);
    expect(stderr).toContain('NOT lifted: lane-a: `--missed skip` could not be written');
    expect(fleet.run(['resume', '-p', 'lane-a']).code).toBe(0);
  });

  it('because another generation stands, takes the choice back', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    const id = holdIn(fleet);
    const words = ['resume', '--if-generation', 'another', '--missed', 'skip'];
    expect(fleet.run(words).code).toBe(6);
    expect(choiceOf(fleet, id)).toEqual({ state: 'none' });
  });

  it('because it was killed, means nothing for the hold that stands, nor for a later lift', () => {
    const fleet = makeFleet('lane-a');
    fleet.run(['pause']);
    const id = holdIn(fleet);
    expect(fleet.run(['resume', '--missed', 'skip'], preloaded(KILLED)).code).toBe(null);
    expect(exists(fleet.sentinel())).toBe(true);
    expect(choiceOf(fleet, id)).toEqual({ state: 'chosen', choice: 'skip' });
    expect(fleet.run(['resume']).code).toBe(0);
    expect(choiceOf(fleet, id)).toEqual({ state: 'none' });
  });
});
