/**
 * Arms and lifts holds for HTTP clients: on disk, with the same operations as every other writer.
 * The answer is what was read back [5].
 * Permission is `token.ts`, parsing `write-request.ts`.
 */
import type {
  ArmedDocument,
  HoldView,
  LiftedDocument,
  WouldArmDocument,
} from '@fleet-estop/protocol';
import {
  actorOf,
  appendJournal,
  arm,
  check,
  type DiskPort,
  type Hold,
  type JournalEntry,
  lift,
  lostFolder,
  newOperation,
  nodeDisk,
  profileChain,
  profileHome,
  rootScopes,
  userName,
} from '@fleet-estop/sentinel-core';
import { checkPolicies, type FleetSettings } from '@fleet-estop/settings';
import { type ScopeState, scopesOf } from '../state/fleet-state.ts';
import { readFleet } from '../state/read-fleet.ts';
import { type HttpError, httpError } from './answers.ts';
import { effectOf, type Terms, termsOf } from './write-effect.ts';
import { degraded, notAFleet, notArmed, notStanding, profileError } from './write-errors.ts';
import type { HoldRequest } from './write-request.ts';

export interface Writer {
  arm(request: HoldRequest, nowMs: number): ArmedDocument | WouldArmDocument | HttpError;
  /** `author`: who lifts, as given by the client. */
  lift(id: string, author?: string): LiftedDocument | HttpError;
}

export interface WriterOptions {
  readonly root: string;
  readonly settings: () => FleetSettings;
  readonly disk?: DiskPort;
}

/** Kept short: this process sends nothing to gateways while it waits for the tenure. */
const LOCK_WAIT = { waitMs: 250 };

export function writer({ root, settings, disk = nodeDisk() }: WriterOptions): Writer {
  const scopes = (): readonly ScopeState[] => scopesOf(readFleet(disk, root));
  const inScope = (dir: string): readonly HoldView[] =>
    scopes().find((scope) => scope.dir === dir)?.holds ?? [];

  const journal = (entry: Omit<JournalEntry, 'actor'>, author: string): string[] => {
    const done = appendJournal(root, { ...entry, actor: actorOf(VIA, author) });
    return done.written ? [] : [`its journal line could not be written: ${done.why}`];
  };

  return {
    arm({ profile, holder, arm: request, dryRun }, nowMs) {
      const unknown = profile === null ? null : profileError(root, profile);
      if (unknown !== null) return unknown;
      const dir = profile === null ? root : profileHome(root, profile);
      const chain = profile === null ? rootScopes(root) : profileChain(root, profile).scopes;
      const lost = lostFolder(chain);
      const before = chain.map((scope) => ({ scope, check: check(disk, scope.dir) }));
      const standing = check(disk, dir);
      const existing = standing.engaged
        ? (standing.holds.find((hold) => hold.holder === holder) ?? null)
        : null;
      const wanted = termsFor(holder, request, existing, nowMs);
      const policyViolation = policyError(settings(), wanted, nowMs);
      if (policyViolation !== null) return policyViolation;
      if (dryRun) {
        const generation = standing.engaged ? standing.generation : null;
        return {
          schema: 'fleet/would-arm/v1',
          armed: false,
          hold: termsOf(wanted),
          profile,
          generation,
          comparable: !standing.engaged || generation !== null,
          ...effectOf(before, existing, wanted, profile),
        };
      }
      if (lost() !== null) return notAFleet(root);
      const result = arm(disk, dir, { ...request, actor: actorOf(VIA, userName()) }, LOCK_WAIT);
      if (lost() !== null) return notAFleet(root);
      if (!result.armed) return notArmed(result);
      const { hold, generation, replaced } = result;
      const operation = newOperation();
      const missing = journal(
        {
          operation,
          event: replaced === null ? 'arm' : 're-arm',
          scope: dir,
          ...(profile === null ? {} : { profile }),
          holds: [hold],
          generation,
        },
        holder,
      );
      const effect = effectOf(before, replaced, hold, profile);
      const holds = inScope(dir);
      const seen = holds.find(({ id }) => id === result.id);
      if (seen === undefined) {
        const hint = 'see /v1/state for what stands now';
        return httpError(409, 'overtaken', 'the hold was armed and is already gone', hint);
      }
      return {
        schema: 'fleet/armed/v1',
        armed: true,
        operation,
        hold: seen,
        profile,
        replaced: replaced?.id ?? null,
        holds,
        ...effect,
        warnings: [...effect.warnings, ...degraded(result), ...missing],
      };
    },

    lift(id, author = UNKNOWN_AUTHOR) {
      const found = scopes().flatMap((scope) =>
        scope.holds.filter((hold) => hold.id === id).map((hold) => ({ scope, hold })),
      );
      const [only, other] = found;
      if (only === undefined) return notStanding(id);
      if (other !== undefined) {
        const hint = 'lift it with `fleet resume --hold` in the right profile';
        return httpError(409, 'ambiguous', 'several scopes have a hold of this id', hint);
      }
      const { scope, hold } = only;
      if (scope.kind === 'cluster') {
        const hint = 'lift it where it was placed: this is only a copy';
        return httpError(409, 'cluster-hold', 'this hold is the cluster’s', hint);
      }
      const result = lift(disk, scope.dir, { id }, {}, LOCK_WAIT);
      const operation = newOperation();
      const missing = result.lifted
        ? journal(
            {
              operation,
              event: 'lift',
              scope: scope.dir,
              ...(scope.profile === null ? {} : { profile: scope.profile }),
              holds: result.holds,
              generation: generationIn(disk, scope.dir),
            },
            author,
          )
        : [];
      const after = scopes();
      const chain = after.filter(({ dir, kind }) => dir === scope.dir || kind !== 'profile');
      const remaining = chain.flatMap(({ holds }) => holds);
      if (remaining.some((standing) => standing.id === id)) {
        const why = result.lifted ? 'it stands again' : result.why;
        const status = why === 'superseded' ? 409 : 503;
        return httpError(
          status,
          'not-lifted',
          `it still stands: ${why}`,
          'see /v1/state and try again',
        );
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
        warnings: [
          ...otherHolderWarning(hold, author),
          ...setAside.map((name) => `set aside as \`${name}\``),
          ...missing,
        ],
      };
    },
  };
}

/** The resulting hold, including what is kept of this holder's old one: policies apply to that. */
function termsFor(
  holder: string,
  request: HoldRequest['arm'],
  existing: Hold | null,
  nowMs: number,
): Terms {
  return {
    holder,
    reason: request.reason === undefined ? (existing?.reason ?? null) : request.reason,
    expiresAtMs: deadlineOf(request, existing, nowMs),
    allow: request.allow === undefined ? (existing?.allow ?? null) : request.allow,
  };
}

function policyError(settings: FleetSettings, wanted: Terms, nowMs: number): HttpError | null {
  const { holder, reason, expiresAtMs } = wanted;
  const ttlMs = expiresAtMs === null ? null : expiresAtMs - nowMs;
  const [violation] = checkPolicies(settings, { holder: holder ?? '', reason, ttlMs });
  if (violation === undefined) return null;
  return httpError(403, 'policy', violation.message, `policy ${violation.policy} of fleet.yaml`);
}

function deadlineOf(
  { expiresAt }: HoldRequest['arm'],
  existing: Hold | null,
  nowMs: number,
): number | null {
  if (expiresAt === null) return null;
  if (expiresAt !== undefined) return Date.parse(expiresAt);
  const keptMs = existing?.expiresAtMs ?? null;
  return keptMs !== null && keptMs > nowMs ? keptMs : null;
}

function generationIn(disk: DiskPort, dir: string): string | null {
  const found = check(disk, dir);
  return found.engaged ? found.generation : null;
}

/** Names the holder if somebody else lifts the hold. */
const otherHolderWarning = ({ holder }: HoldView, author: string): readonly string[] =>
  holder === author
    ? []
    : [holder === null ? 'the hold had no holder' : `it was the hold of \`${holder}\``];

/** The token proves permission, not identity. */
const UNKNOWN_AUTHOR = 'not said';
const VIA = 'watcher http';
