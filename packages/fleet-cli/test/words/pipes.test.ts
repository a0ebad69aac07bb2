/**
 * What becomes of the exit status when the answer does not arrive: never a softer one.
 */
import { closeSync, existsSync, openSync } from 'node:fs';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, makeFleet, runInShell, spoil } from '../support/fleet.ts';

/** Linux has it; elsewhere there is no disk to fill for everyone. */
const FULL = '/dev/full';

function fullDisk(): number {
  const fd = openSync(FULL, 'w');
  onTestFinished(() => closeSync(fd));
  return fd;
}

describe('a reader that goes away never changes the exit status', () => {
  const gone = `"$@" | head -0; exit "\${PIPESTATUS[0]}"`;

  it('a false assertion stays false', () => {
    const { root } = makeFleet('lane-a');
    expect(runInShell(gone, ['assert', 'paused', '--root', root]).code).toBe(1);
  });

  it('a true assertion stays true', () => {
    const { root } = makeFleet('lane-a');
    expect(runInShell(gone, ['assert', 'running', '--root', root]).code).toBe(0);
  });

  it('an unreadable state stays unreadable, for status and as JSON too', () => {
    const { root, sentinel } = makeFleet('lane-a');
    spoil(sentinel());
    expect(runInShell(gone, ['status', '--root', root]).code).toBe(3);
    expect(runInShell(gone, ['status', '--json', '--root', root]).code).toBe(3);
  });

  it('a pause stays done', () => {
    const { root, sentinel } = makeFleet('lane-a');
    expect(runInShell(gone, ['pause', '--root', root]).code).toBe(0);
    expect(bodyOf(sentinel()).holds).toHaveLength(1);
  });
});

describe('a closed stdout never softens the exit status', () => {
  it('of a false assertion, nor of an unreadable state, nor of a refusal', () => {
    const { root, sentinel } = makeFleet('lane-a');
    expect(runInShell('"$@" >&-', ['assert', 'paused', '--root', root]).code).toBe(1);
    expect(runInShell('"$@" >&-', ['pause', 'x', '--root', root]).code).toBe(2);
    spoil(sentinel());
    expect(runInShell('"$@" >&-', ['assert', 'running', '--root', root]).code).toBe(3);
  });

  it('and closed stderr neither', () => {
    const { root } = makeFleet('lane-a');
    expect(runInShell('"$@" 2>&-', ['assert', 'paused', '--root', root]).code).toBe(1);
    expect(runInShell('"$@" >&- 2>&-', ['pause', 'x', '--root', root]).code).toBe(2);
    expect(runInShell('"$@" <&- >&- 2>&-', ['pause', '--root', root]).code).toBe(0);
  });
});

describe('an answer that cannot be written', () => {
  beforeEach(({ skip }) => skip(!existsSync(FULL), `there is no ${FULL} here`));

  it.each([
    ['status', ['status']],
    ['explain', ['explain']],
    ['status --json', ['status', '--json']],
    ['pause --json', ['pause', '--json']],
    ['resume --json', ['resume', '--json']],
    ['assert running --json', ['assert', 'running', '--json']],
  ])('%s exits 3, and says why on stderr', (_what, words) => {
    const { run } = makeFleet('lane-a');
    const { code, stderr } = run(words, { stdout: fullDisk() });
    expect(code).toBe(3);
    expect(stderr).toContain('ENOSPC');
  });

  it('a failing answer keeps its own exit status', () => {
    const { run } = makeFleet('lane-a');
    expect(run(['assert', 'paused'], { stdout: fullDisk() }).code).toBe(1);
    expect(run(['assert', 'paused', '--json'], { stdout: fullDisk() }).code).toBe(1);
    expect(run(['status', '-p', 'nope'], { stdout: fullDisk() }).code).toBe(2);
  });

  it('a pause in words is done and stays done: its state is true whether it was read or not', () => {
    const { run, sentinel } = makeFleet('lane-a');
    const { code, stderr } = run(['pause'], { stdout: fullDisk() });
    expect(code).toBe(0);
    expect(stderr).toContain('ENOSPC');
    expect(bodyOf(sentinel()).holds).toHaveLength(1);
  });

  it.each([
    ['help', ['--help']],
    ['help of a verb', ['pause', '--help']],
    ['help of a verb that wraps a command', ['help', 'window']],
    ['the version', ['--version']],
  ])('%s, too', (_what, words) => {
    const { run } = makeFleet();
    const { code, stderr } = run(words, { stdout: fullDisk() });
    expect(code).toBe(3);
    expect(stderr).toBe('the answer could not be written to stdout: ENOSPC\n');
  });
});

describe('a slow reader', () => {
  it('gets every byte of a long answer, through a pipe that does not block', () => {
    const lanes = Array.from({ length: 300 }, (_, at) => `lane-${at}`);
    const { root, run } = makeFleet(...lanes);
    const whole = run(['status', '--json']).stdout;
    expect(whole.length).toBeGreaterThan(65_536);
    // The pipe's write end is made non-blocking by the reader's side before the command starts.
    const line = `python3 -c '
import os, subprocess, sys, time
r, w = os.pipe()
os.set_blocking(w, False)
p = subprocess.Popen(sys.argv[1:], stdout=w)
os.close(w)
time.sleep(0.5)
while True:
    part = os.read(r, 4096)
    if not part: break
    sys.stdout.buffer.write(part)
sys.exit(p.wait())' "$@"`;
    const slow = runInShell(line, ['status', '--json', '--root', root]);
    expect(slow.code).toBe(0);
    expect(slow.stdout).toBe(whole);
  });
});
