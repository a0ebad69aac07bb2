/**
 * The status of a resume: "mine is lifted, others still hold" is another answer than "it is not lifted".
 */
import { chmodSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bodyOf, makeFleet, preloaded } from '../support/fleet.ts';

describe('resume ends with 7 where what was asked for is lifted and others still hold', () => {
  it('in the same scope', () => {
    const { run } = makeFleet('lane-a');
    run(['pause', '--as', 'deploy']);
    run(['pause']);
    expect(run(['resume']).code).toBe(7);
  });

  it('further up in the chain, be it one’s own', () => {
    const { run } = makeFleet('lane-a');
    run(['pause']);
    run(['pause', '-p', 'lane-a']);
    expect(run(['resume', '-p', 'lane-a']).code).toBe(7);
  });

  it('by id, beside one’s own other hold', () => {
    const { json, run } = makeFleet('lane-a');
    const { id } = json(['pause', '--as', 'a']).document.results[0].hold;
    run(['pause', '--as', 'b']);
    expect(run(['resume', '--hold', id]).code).toBe(7);
  });

  it('of several profiles, where one is free and one is held by others', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '-p', 'lane-b']);
    run(['pause', '-p', 'lane-b', '--as', 'deploy']);
    expect(run(['resume', '-p', 'lane-a', '-p', 'lane-b']).code).toBe(7);
  });

  it('waiting for gateways does not hide it', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a', '-p', 'lane-b']);
    run(['pause', '-p', 'lane-b', '--as', 'deploy']);
    const words = ['resume', '-p', 'lane-a', '-p', 'lane-b', '--wait', '--timeout', '1s'];
    expect(run(words).code).toBe(7);
  });
});

describe('it stays 1 where nothing was lifted', () => {
  it('no hold of that holder stands, and others hold', () => {
    const { run } = makeFleet('lane-a');
    run(['pause', '--as', 'deploy']);
    expect(run(['resume']).code).toBe(1);
  });

  it('one of several could not be lifted: the worst counts', () => {
    const { run } = makeFleet('lane-a', 'lane-b');
    run(['pause', '-p', 'lane-a']);
    run(['pause', '-p', 'lane-a', '--as', 'deploy']);
    run(['pause', '-p', 'lane-b', '--as', 'deploy']);
    expect(run(['resume', '-p', 'lane-a', '-p', 'lane-b']).code).toBe(1);
  });

  it('one’s own hold could not be removed', () => {
    const { run, folder } = makeFleet('lane-a');
    chmodSync(folder('lane-a'), 0o755);
    run(['pause', '-p', 'lane-a']);
    const refusing = preloaded(
      `const fs = require('node:fs');
       fs.mkdirSync = (path) => { throw Object.assign(new Error('EROFS'), { code: 'EROFS' }); };`,
    );
    expect(run(['resume', '-p', 'lane-a'], refusing).code).toBe(1);
  });

  it('somebody of the same name placed it again at once', () => {
    const { run, sentinel } = makeFleet('lane-a');
    run(['pause']);
    const [hold] = bodyOf(sentinel()).holds;
    const again = JSON.stringify({ generation: 'g', holds: [{ ...hold, id: 'again' }] });
    // After the removal, before the look: whoever was about to pause has paused.
    const pestered = preloaded(
      `const fs = require('node:fs');
       const { rmdirSync } = fs;
       fs.rmdirSync = (path, ...rest) => {
         const done = rmdirSync(path, ...rest);
         if (String(path).endsWith('.ESTOP.txn')) fs.writeFileSync(${JSON.stringify(sentinel())}, ${JSON.stringify(again)});
         return done;
       };`,
    );
    expect(run(['resume'], pestered).code).toBe(1);
  });
});
