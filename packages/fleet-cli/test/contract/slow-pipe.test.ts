/**
 * A long answer through the smallest pipe, to a reader that takes its time: every byte arrives.
 * What a reader that goes away does to the exit status is `words/pipes.test.ts`.
 */
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fleetAt, place, runInShell, shareFleet } from '../support/fleet.ts';

const LANES = 1_000;
const HELD_EVERY = 5;
const REASON_CHARACTERS = 1_024;
/** Bytes; the smallest that Linux makes, so that even the text does not fit in it at once. */
const PIPE_BYTES = 4_096;

/**
 * Starts the command on such a pipe and reads it in pieces of the sizes given, again and again. Whenever it
 * has read an eighth of the pipe, it lets everybody else run first. The writer may or may not be one that can wait.
 */
const READER = `
import fcntl, os, subprocess, sys
blocking, sizes, command = sys.argv[1], [int(n) for n in sys.argv[2].split(',')], sys.argv[3:]
r, w = os.pipe()
fcntl.fcntl(w, 1031, ${PIPE_BYTES})
os.set_blocking(w, blocking == 'blocking')
child = subprocess.Popen(command, stdout=w)
os.close(w)
at = unyielded = 0
while True:
    if unyielded >= ${PIPE_BYTES / 8}:
        os.sched_yield()
        unyielded = 0
    part = os.read(r, sizes[at % len(sizes)])
    if not part: break
    sys.stdout.buffer.write(part)
    unyielded += len(part)
    at += 1
sys.exit(child.wait())`;

describe('1,000 profiles, 200 of them held for 1,024 characters each', () => {
  const fleet = shareFleet();
  beforeAll(() => {
    for (let at = 0; at < LANES; at++) {
      const lane = `lane-${String(at).padStart(4, '0')}`;
      mkdirSync(fleet.folder(lane), { recursive: true });
      if (at % HELD_EVERY === 0) place(fleet.sentinel(lane), heldFor(at));
    }
  });

  it.each([
    ['status', 'blocking', '1'],
    ['status', 'blocking', '1,4095,7'],
    ['status', 'non-blocking', '1,4095,7'],
    ['status --json', 'blocking', '1'],
    ['status --json', 'blocking', '1,4095,7'],
    ['status --json', 'non-blocking', '4096,1'],
  ])('every byte of `%s` arrives through a %s pipe, read by %s', (verb, blocking, sizes) => {
    const words = [...verb.split(' '), '--root', fleet.root];
    const whole = toFile(words);
    expect(whole.length).toBeGreaterThan(4 * PIPE_BYTES);
    const slow = runInShell(
      `python3 -c '${READER.replaceAll("'", `'"'"'`)}' ${blocking} ${sizes} "$@"`,
      words,
    );
    expect(slow.stderr).toBe('');
    expect(slow.code).toBe(0);
    // Not toBe: a difference of a megabyte is nothing to look at.
    expect(slow.stdout === whole, firstDifference(slow.stdout, whole)).toBe(true);
  });

  it('and every reason is in it, whole', () => {
    const { lanes } = JSON.parse(toFile(['status', '--json', '--root', fleet.root]));
    expect(lanes).toHaveLength(LANES);
    const held = [...Array(LANES).keys()].filter((at) => at % HELD_EVERY === 0);
    const reasons = held.map((at) => lanes[at].scope.holds[0].reason);
    expect(reasons).toEqual(held.map((at) => reasonOf(at)));
  });

  function toFile(words: readonly string[]): string {
    const file = join(fleet.root, 'whole');
    const fd = openSync(file, 'w');
    const { code, stderr } = fleetAt(fleet.root).run(words.slice(0, -2), { stdout: fd });
    closeSync(fd);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return readFileSync(file, 'utf8');
  }
});

/** Without the time at which it was placed: an age would change between two answers. */
const heldFor = (at: number) => ({
  generation: `g${at}`,
  holds: [{ id: `h${at}`, holder: 'sre', reason: reasonOf(at) }],
});

/** Of several bytes each, so that a piece can end in the middle of one. */
const reasonOf = (at: number): string =>
  `${at} ${'é€'.repeat(REASON_CHARACTERS)}`.slice(0, REASON_CHARACTERS);

function firstDifference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return `${one.length} and ${other.length} characters, which differ from the one at ${at}`;
}
