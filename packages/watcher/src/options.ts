/**
 * The arguments of `fleet-watcher`, parsed strictly.
 */
import { parseArgs } from 'node:util';
import { parseDuration } from '@fleet-estop/sentinel-core';
import { LOG_LEVELS, type LogLevel } from './log.ts';
import { OBSERVE_MODES, type ObserveMode } from './observe/choose.ts';

export interface WatcherArguments {
  readonly does: 'watch' | 'once' | 'check' | 'help' | 'version';
  readonly root: string | undefined;
  readonly sweepMs: number | undefined;
  readonly observe: ObserveMode | undefined;
  /** undefined: as in `fleet.yaml`. 0 takes any free port. */
  readonly port: number | undefined;
  /** false: HTTP only on the unix socket; undefined: as in `fleet.yaml`. */
  readonly http: false | undefined;
  readonly timeoutMs: number;
  readonly logLevel: LogLevel;
}

/** What is wrong with the command line, and how to correct it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const HELP = `Usage: fleet-watcher [options]

Watches a fleet in the foreground: notices every change of a hold, retires expired
sentinels, informs gateways, and serves state, events and a dashboard on loopback.
Holds work without it. Logs JSON lines on stderr.

Options:
  --root <folder>      the fleet (else FLEET_ROOT, HERMES_HOME, ~/.hermes, ~/.fleet)
  --once               print the state as one JSON document, and exit
  --check              wait until a watcher of this root is ready, and exit
  --timeout <duration> how long --check waits (default: 10s)
  --sweep <duration>   read everything this often: 1s to 10m
  --observe <how>      auto, native, chokidar or poll
  --port <number>      serve HTTP on this port of loopback; 0 takes any (default: 7433)
  --no-http            serve HTTP only on the unix socket in .fleet/
  --log-level <level>  debug, info, warn or error (default: info)
  -V, --version        print the version
  -h, --help           print this

Exit status:
  0  asked to stop; or printed (--once), or ready (--check)
  1  another watcher runs for this root, or it cannot be watched
  2  the command line is wrong, or there is no such fleet
  3  --once: some state could not be read; it counts as held
  5  --check: no watcher was ready in time
`;

/** Throws `UsageError`. */
export function parseArguments(argv: readonly string[]): WatcherArguments {
  const values = valuesOf(argv);
  const modes = (['once', 'check', 'help', 'version'] as const).filter(
    (name) => values[name] === true,
  );
  if (modes.length > 1) {
    const [first, second] = modes;
    throw new UsageError(`\`--${first}\` and \`--${second}\` exclude each other`);
  }
  if (values.timeout !== undefined && values.check !== true) {
    throw new UsageError('`--timeout` needs `--check`');
  }
  if (values.port !== undefined && values['no-http'] === true) {
    throw new UsageError('`--port` and `--no-http` exclude each other');
  }
  return {
    does: modes[0] ?? 'watch',
    root: values.root,
    sweepMs: values.sweep === undefined ? undefined : sweepOf(values.sweep),
    observe:
      values.observe === undefined ? undefined : oneOf('--observe', values.observe, OBSERVE_MODES),
    port: values.port === undefined ? undefined : portOf(values.port),
    http: values['no-http'] === true ? false : undefined,
    timeoutMs: values.timeout === undefined ? 10_000 : durationOf('--timeout', values.timeout),
    logLevel: oneOf('--log-level', values['log-level'] ?? 'info', LOG_LEVELS),
  };
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`\`--port ${text}\` is not a port: 0 to 65535`);
}

function valuesOf(argv: readonly string[]) {
  try {
    const { values, tokens } = parseArgs({
      args: [...argv],
      tokens: true,
      options: {
        root: { type: 'string' },
        once: { type: 'boolean' },
        check: { type: 'boolean' },
        timeout: { type: 'string' },
        sweep: { type: 'string' },
        observe: { type: 'string' },
        port: { type: 'string' },
        'no-http': { type: 'boolean' },
        'log-level': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'V' },
      },
    });
    const names = tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : []));
    const twice = names.find((name, at) => names.indexOf(name) !== at);
    if (twice !== undefined) throw new UsageError(`\`--${twice}\` was given twice`);
    return values;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function oneOf<T extends string>(flag: string, text: string, known: readonly T[]): T {
  const found = known.find((name) => name === text);
  if (found !== undefined) return found;
  throw new UsageError(`\`${flag} ${text}\` is not valid: use ${known.join(', ')}`);
}

function durationOf(flag: string, text: string): number {
  const seconds = parseDuration(text);
  if (seconds === null || seconds > 86_400n) {
    throw new UsageError(`\`${flag} ${text}\` is not a duration up to a day, such as \`30s\``);
  }
  return Number(seconds) * 1_000;
}

function sweepOf(text: string): number {
  const ms = durationOf('--sweep', text);
  if (ms <= 600_000) return ms;
  throw new UsageError(
    `\`--sweep ${text}\` is longer than \`10m\`: a lost notice would stay unseen that long`,
  );
}
