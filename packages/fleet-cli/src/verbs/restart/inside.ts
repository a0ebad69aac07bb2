/**
 * Whether this process runs inside a gateway that it would restart: the restart would end with it, half-way.
 * Each sign is enough, since each can be missing.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readRegister } from '@fleet-estop/ledger';
import { INSIDE_GATEWAY, parseInside } from '@fleet-estop/protocol';
import { FleetError, here, markOf } from '@fleet-estop/sentinel-core';
import { visible } from '../../text/visible.ts';

export interface TargetGateway {
  readonly instance: string;
  readonly pid: number;
  /** Where its process id is valid; null: it does not say. */
  readonly pidNamespace: string | null;
}

/** Throws for a process that runs inside one of these gateways, or inside work of one of these homes. */
export function refuseFromInside(
  gateways: readonly TargetGateway[],
  homes: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): void {
  const sign = signOf(gateways, homes, env);
  if (sign === null) return;
  throw new FleetError(
    'VALUE_INVALID',
    `this runs inside a gateway that it would restart, and would end with it: ${sign}`,
    { hint: 'run it from a shell that no gateway has started' },
  );
}

/** The sign by which it is known, in words; null: there is none. */
function signOf(
  gateways: readonly TargetGateway[],
  homes: readonly string[],
  env: NodeJS.ProcessEnv,
): string | null {
  const marks = parseInside(env[INSIDE_GATEWAY]);
  const place = here();
  const near = gateways.filter(
    ({ pidNamespace }) => pidNamespace === null || place.pids === '' || pidNamespace === place.pids,
  );
  // The watcher may know a gateway by another name than it has given itself, which stands in the mark.
  const living = new Set(
    marks.filter(({ pid, start }) => markOf(pid)?.birth === start).map(({ pid }) => pid),
  );
  const marked =
    gateways.find(({ instance }) => marks.some((mark) => mark.instance === instance)) ??
    near.find(({ pid }) => living.has(pid));
  if (marked !== undefined) return `${INSIDE_GATEWAY} names it (${nameOf(marked)})`;

  const line = ancestry();
  const parent = near.find(({ pid }) => line.has(pid));
  if (parent !== undefined) return `it is a parent of this process (${nameOf(parent)})`;

  const unit = serviceOf('self');
  const sharing = unit === null ? undefined : near.find(({ pid }) => serviceOf(pid) === unit);
  if (sharing !== undefined) {
    return `this process belongs to its service ${visible(unit ?? '')} (${nameOf(sharing)})`;
  }

  for (const home of homes) {
    const own = readRegister(home).work.find(
      ({ host, pid, fate }) =>
        host === place.host && pid !== null && fate !== 'abandoned' && line.has(pid),
    );
    if (own !== undefined) {
      return `this process is part of work in its hands (\`${visible(own.id ?? '?')}\` of door \`${visible(own.door ?? '?')}\`, process ${own.pid})`;
    }
  }
  return null;
}

const nameOf = ({ instance, pid }: TargetGateway): string =>
  `\`${visible(instance)}\`, process ${pid}`;

/** More than any process tree has. */
const MOST_PARENTS = 1_024;

/** This process and its parents. */
function ancestry(): ReadonlySet<number> {
  const found = new Set<number>();
  const parents = process.platform === 'linux' ? parentOnLinux : parentsByPs();
  for (let pid = process.pid; pid > 1 && found.size < MOST_PARENTS; pid = parents(pid)) {
    if (found.has(pid)) break;
    found.add(pid);
  }
  return found;
}

/** 0: the process has ended, or cannot be seen. */
function parentOnLinux(pid: number): number {
  const stat = textAt(`/proc/${pid}/stat`);
  // The name in parentheses can contain anything.
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1] ?? 0) || 0;
}

function parentsByPs(): (pid: number) => number {
  const rows = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).split('\n');
  const parents = new Map(
    rows.map((row) => row.trim().split(/\s+/).map(Number) as [number, number]),
  );
  return (pid) => parents.get(pid) ?? 0;
}

/**
 * The systemd service of a process, with the path to it; null: it runs in none. A user's manager
 * (`user@1000.service`) is no sign: everything that the user runs is below it.
 */
function serviceOf(pid: number | 'self'): string | null {
  const lines = textAt(`/proc/${pid}/cgroup`).split('\n');
  // Version 2 is `0::PATH`; before, systemd had a hierarchy of its own.
  const path = lines.flatMap(
    (line) => /^(?:0::|\d+:name=systemd:)(\/.+)$/.exec(line)?.[1] ?? [],
  )[0];
  const parts = (path ?? '').split('/');
  const last = parts.findLastIndex((part) => part.endsWith('.service'));
  if (last === -1 || /^user@\d+\.service$/.test(parts[last] ?? '')) return null;
  return parts.slice(0, last + 1).join('/');
}

function textAt(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
