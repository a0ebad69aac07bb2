/**
 * Asks a CPython what `datetime.fromisoformat` makes of texts, as the other reader of sentinels asks:
 * stripped, and without an offset UTC. One child process for all texts.
 * Which texts, and what the answers are compared with, is left to the tests.
 */
import { spawnSync } from 'node:child_process';

/** Before 3.11 it read few forms of ISO 8601. */
const MINIMUM = [3, 11] as const;

// By subtraction, which cannot leave the years 1 to 9999 as a change of time zone can.
const SCRIPT = `
import datetime, json, sys
epoch, micro = datetime.datetime(1970, 1, 1), datetime.timedelta(microseconds=1)
def instant(text):
    try:
        when = datetime.datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    shift = when.utcoffset() or datetime.timedelta(0)
    return str((when.replace(tzinfo=None) - epoch - shift) // micro)
json.dump([instant(text) for text in json.load(sys.stdin)], sys.stdout)
`;

/** Microseconds since the epoch as a decimal number; null: refused, so that the hold never expires. */
export type Verdict = string | null;

export interface CPython {
  readonly version: string;
  verdicts(texts: readonly string[]): readonly Verdict[];
}

/** `command` as a CPython that can be asked, or what is missing. */
export function cpython(command = 'python3'): CPython | { readonly missing: string } {
  const asked = spawnSync(command, ['-c', 'import platform; print(platform.python_version())'], {
    encoding: 'utf8',
  });
  if (asked.status !== 0) return { missing: `\`${command}\` cannot be run` };
  const version = asked.stdout.trim();
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major < MINIMUM[0] || (major === MINIMUM[0] && minor < MINIMUM[1])) {
    return { missing: `\`${command}\` is ${version}, and ${MINIMUM.join('.')} is needed` };
  }
  return { version, verdicts: (texts) => ask(command, texts) };
}

function ask(command: string, texts: readonly string[]): readonly Verdict[] {
  const { status, stdout, stderr } = spawnSync(command, ['-I', '-c', SCRIPT], {
    input: JSON.stringify(texts),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`\`${command}\` ended with ${status}: ${stderr}`);
  const verdicts: Verdict[] = JSON.parse(stdout);
  if (verdicts.length !== texts.length) throw new Error('a text was not answered');
  return verdicts;
}
