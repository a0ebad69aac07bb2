/**
 * Arming and lifting for a caller who may: on disk, by the same operations as every other writer,
 * and answered with what was read back [5].
 * Who may is `token.ts`, what was asked for `write-request.ts`.
 */
import { hostname } from 'node:os';
import {
  type Actor,
  type ArmResult,
  appendJournal,
  arm,
  check,
  DEFAULT_LANE,
  type DiskPort,
  type Hold,
  type JournalEntry,
  lift,
  listProfiles,
  newOperation,
  nodeDisk,
  profileHome,
} from '@fleet-estop/sentinel-core';
import { checkPolicies, type FleetSettings } from '@fleet-estop/settings';
import { type HoldView, type ScopeState, scopesOf } from '../state/fleet-state.ts';
import { readFleet } from '../state/read-fleet.ts';
import { type Refusal, refusal } from './answers.ts';
import type { HoldRequest } from './write-request.ts';

export interface Armed {
  readonly schema: 'fleet/armed/v1';
  readonly armed: true;
  /** Id of this call, as in the journal: what `fleet resume --undo` names. */
  readonly operation: string;
  readonly hold: HoldView;
  /** null: the whole fleet. */
  readonly profile: string | null;
  /** Id of this holder's hold whose place it took. */
  readonly replaced: string | null;
  /** What stands in the scope, ours included, as read back. */
  readonly holds: readonly HoldView[];
  readonly warnings: readonly string[];
}

export interface Lifted {
  readonly schema: 'fleet/lifted/v1';
  readonly lifted: true;
  readonly operation: string;
  readonly hold: HoldView;
  readonly profile: string | null;
  /** What still stands in that scope, and above it: until that is gone too, it stays held. */
  readonly remaining: readonly HoldView[];
  readonly warnings: readonly string[];
}

export interface Writer {
  arm(request: HoldRequest, nowMs: number): Armed | Refusal;
  lift(id: string): Lifted | Refusal;
}

export interface WriterOptions {
  readonly root: string;
  readonly settings: () => FleetSettings;
  readonly disk?: DiskPort;
}

/** Gateways are told nothing while this process waits for its turn, so it does not wait for long. */
const PATIENCE = { waitMs: 250 };

export function writer({ root, settings, disk = nodeDisk() }: WriterOptions): Writer {
  const scopes = (): readonly ScopeState[] => scopesOf(readFleet(disk, root));
  const inScope = (dir: string): readonly HoldView[] =>
    scopes().find((scope) => scope.dir === dir)?.holds ?? [];

  const journal = (entry: Omit<JournalEntry, 'actor'>): string[] => {
    const done = appendJournal(root, { ...entry, actor: actor() });
    return done.written ? [] : [`it is missing in the journal: ${done.why}`];
  };

  return {
    arm({ profile, holder, arm: request }, nowMs) {
      const unknown = profile === null ? null : whyNoLane(root, profile);
      if (unknown !== null) return unknown;
      const dir = profile === null ? root : profileHome(root, profile);
      const refused = againstPolicies(disk, dir, settings(), holder, request, nowMs);
      if (refused !== null) return refused;
      const result = arm(disk, dir, { ...request, actor: actor() }, PATIENCE);
      if (!result.armed) return notArmed(result);
      const { hold, generation, replaced } = result;
      const operation = newOperation();
      const missing = journal({
        operation,
        event: replaced === null ? 'arm' : 're-arm',
        scope: dir,
        ...(profile === null ? {} : { profile }),
        holds: [hold],
        generation,
      });
      const holds = inScope(dir);
      const seen = holds.find(({ id }) => id === result.id);
      if (seen === undefined) {
        const hint = 'look at /v1/state for what stands now';
        return refusal(409, 'overtaken', 'it was armed, and is gone again already', hint);
      }
      return {
        schema: 'fleet/armed/v1',
        armed: true,
        operation,
        hold: seen,
        profile,
        replaced: replaced?.id ?? null,
        holds,
        warnings: [...degraded(result), ...missing],
      };
    },

    lift(id) {
      const found = scopes().flatMap((scope) =>
        scope.holds.filter((hold) => hold.id === id).map((hold) => ({ scope, hold })),
      );
      const [only, other] = found;
      if (only === undefined) return notStanding(id);
      if (other !== undefined) {
        const hint = 'lift it with `fleet resume --hold`, in the profile that is meant';
        return refusal(409, 'ambiguous', 'several scopes have a hold of this id', hint);
      }
      const { scope, hold } = only;
      if (scope.kind === 'cluster') {
        const hint = 'lift it where it was placed: here is only a copy';
        return refusal(409, 'cluster-hold', 'this hold is the cluster’s', hint);
      }
      const result = lift(disk, scope.dir, { id }, {}, PATIENCE);
      const operation = newOperation();
      const missing = result.lifted
        ? journal({
            operation,
            event: 'lift',
            scope: scope.dir,
            ...(scope.profile === null ? {} : { profile: scope.profile }),
            holds: result.holds,
            generation: generationIn(disk, scope.dir),
          })
        : [];
      const after = scopes();
      const chain = after.filter(({ dir, kind }) => dir === scope.dir || kind !== 'profile');
      const remaining = chain.flatMap(({ holds }) => holds);
      if (remaining.some((standing) => standing.id === id)) {
        const why = result.lifted ? 'it stands again' : result.why;
        const status = why === 'superseded' ? 409 : 503;
        return refusal(status, 'not-lifted', `it still stands: ${why}`, 'look, and try again');
      }
      if (!result.lifted) return notStanding(id);
      const { setAside = [] } = result;
      return {
        schema: 'fleet/lifted/v1',
        lifted: true,
        operation,
        hold,
        profile: scope.profile,
        remaining,
        warnings: [...setAside.map((name) => `set aside as \`${name}\``), ...missing],
      };
    },
  };
}

const notStanding = (id: string): Refusal =>
  refusal(404, 'hold-unknown', `no hold \`${id}\` stands`, 'look at /v1/state for those that do');

function whyNoLane(root: string, profile: string): Refusal | null {
  if (profile === DEFAULT_LANE) {
    const hint = 'use `"root": true` to pause the whole fleet';
    return refusal(409, 'root-lane', 'the sentinel of `default` is the whole fleet’s', hint);
  }
  const { profiles, unreadable } = listProfiles(root);
  if (profiles.some(({ name }) => name === profile)) return null;
  if (unreadable !== undefined) {
    const hint = 'pause the whole fleet with `"root": true`, or repair the folder';
    return refusal(503, 'profiles-unreadable', `profiles cannot be listed: ${unreadable}`, hint);
  }
  const hint = 'look at /v1/state for those that exist';
  return refusal(404, 'profile-unknown', `there is no profile \`${profile}\``, hint);
}

/** What would stand, with what is kept of this holder's hold: that is what policies are about. */
function againstPolicies(
  disk: DiskPort,
  dir: string,
  settings: FleetSettings,
  holder: string,
  request: HoldRequest['arm'],
  nowMs: number,
): Refusal | null {
  const standing = check(disk, dir);
  const kept = standing.engaged ? standing.holds.find((hold) => hold.holder === holder) : undefined;
  const deadline = deadlineOf(request, kept, nowMs);
  const reason = request.reason === undefined ? (kept?.reason ?? null) : request.reason;
  const ttlMs = deadline === null ? null : deadline - nowMs;
  const [violation] = checkPolicies(settings, { holder, reason, ttlMs });
  if (violation === undefined) return null;
  return refusal(403, 'policy', violation.message, `policy ${violation.policy} of fleet.yaml`);
}

function deadlineOf(
  { expiresAt }: HoldRequest['arm'],
  kept: Hold | undefined,
  nowMs: number,
): number | null {
  if (expiresAt === null) return null;
  if (expiresAt !== undefined) return Date.parse(expiresAt);
  const keptMs = kept?.expiresAtMs ?? null;
  return keptMs !== null && keptMs > nowMs ? keptMs : null;
}

function notArmed({ why, engaged }: Extract<ArmResult, { armed: false }>): Refusal {
  const held = engaged ? 'others hold the scope all the same' : 'nothing holds the scope';
  const isConflict = ['conflict', 'overtaken', 'too-many-holders', 'too-large'].includes(why);
  const message = `not armed: ${why}; ${held}`;
  return refusal(isConflict ? 409 : 503, 'not-armed', message, 'look at /v1/state, and try again');
}

function degraded(result: Extract<ArmResult, { armed: true }>): string[] {
  const warnings: string[] = [];
  if (result.degraded === 'direct') warnings.push(`written without a tenure: ${result.why}`);
  if (result.degraded === 'empty' || result.degraded === 'folder') {
    const placed = result.degraded === 'empty' ? 'file' : 'folder';
    warnings.push(`only an empty ${placed} could be placed: it holds until lifted (${result.why})`);
  }
  if (result.shortened) warnings.push('the reason was too long and was cut');
  return warnings;
}

function generationIn(disk: DiskPort, dir: string): string | null {
  const found = check(disk, dir);
  return found.engaged ? found.generation : null;
}

/** Whoever knew the token; the process that wrote for them is ours. */
function actor(): Actor {
  const user = process.env['USER'] || process.env['LOGNAME'] || `uid ${process.getuid?.() ?? '?'}`;
  return { user: user.slice(0, 64), host: hostname(), pid: process.pid, via: 'watcher http' };
}
