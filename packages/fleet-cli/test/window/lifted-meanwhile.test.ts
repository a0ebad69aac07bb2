/**
 * A window whose hold was lifted while its command ran: it is said at the end, and `--strict` fails.
 */
import { describe, expect, it } from 'vitest';
import { exists, makeFleet } from '../support/fleet.ts';
import { startFleet } from '../support/live.ts';

const waiting = (root: string, words: readonly string[], status = 0) =>
  startFleet([
    'window',
    '--root',
    root,
    ...words,
    '--',
    'sh',
    '-c',
    `echo ready; cat; exit ${status}`,
  ]);

async function liftedMeanwhile(words: readonly string[], status = 0) {
  const { root, run } = makeFleet('lane-a');
  const live = waiting(root, words, status);
  await live.prints('ready');
  run(['resume', '--everyone']);
  await live.complains('was lifted by somebody else');
  live.endInput();
  const { code } = await live.ended;
  return { code, stderr: live.stderr() };
}

describe('a window that was lifted meanwhile', () => {
  it('says so at the end again, and passes the status of its command', async () => {
    const { code, stderr } = await liftedMeanwhile([]);
    expect(code).toBe(0);
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^warning: new work was NOT held all the time on the whole fleet/,
    );
  });

  it('with --strict fails where its command did not', async () => {
    expect((await liftedMeanwhile(['--strict'])).code).toBe(125);
  });

  it('with --strict passes on the failure of its command', async () => {
    expect((await liftedMeanwhile(['--strict'], 3)).code).toBe(3);
  });

  it('with --strict is done where its hold stood all the time', async () => {
    const { root, sentinel } = makeFleet('lane-a');
    const live = waiting(root, ['--strict']);
    await live.prints('ready');
    live.endInput();
    expect((await live.ended).code).toBe(0);
    expect(live.stderr()).not.toContain('NOT held all the time');
    expect(exists(sentinel())).toBe(false);
  });
});
