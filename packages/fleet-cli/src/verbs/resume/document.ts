/**
 * The document of `fleet resume --json`. Its keys are part of the contract: docs/json.md describes each.
 */
import type { RootChoice, ScopeState } from '@fleet-estop/sentinel-core';
import { bodyJson } from '../../dry-run/text.ts';
import { liftCommand } from '../../fleet/hold-text.ts';
import { isOfAnother } from '../../fleet/holder.ts';
import { chainJson, holdJson, rootJson, scopeJson, stateJson } from '../../fleet/json.ts';
import type { Json } from '../../text/json.ts';
import type { ResumeFacts } from './notices.ts';

/** `wait`: the outcome of waiting for gateways; null: without --wait. */
export function resumeDocument(
  { session, resumings, stillHeld, unselected, operation, undo, missed }: ResumeFacts,
  wait: Json,
): { [key: string]: Json } {
  const { root, nowMs } = session;
  return {
    schema: 'fleet/resume/v1',
    ...rootJson(root),
    dry_run: session.dryRun === true,
    operation,
    undone: undo,
    missed,
    results: resumings.map(({ target, result, retired, left, after }) => ({
      ...scopeJson(target.scope),
      lifted:
        'unexpectedError' in result || !result.lifted
          ? []
          : result.holds.map((h) => holdJson(h, nowMs)),
      placed_by_others:
        'unexpectedError' in result || !result.lifted
          ? []
          : result.holds.filter(isOfAnother).map(({ id }) => id),
      why: 'unexpectedError' in result ? result.unexpectedError : result.lifted ? null : result.why,
      left: left?.why ?? null,
      expired_removed: retired?.retired === true,
      ...bodyJson(session, target.scope),
      ...chainJson(after),
      remaining: remainingJson(root, after, nowMs),
    })),
    lanes_held: stillHeld.map(({ profile, states: [own] }) => ({
      profile,
      scope: own === undefined ? null : stateJson(own, nowMs),
    })),
    beyond_selection: unselected.map(({ profile, holds }) => ({
      profile,
      holds: holds.map((hold) => holdJson(hold, nowMs)),
    })),
    wait,
    skipped: session.selection.missing,
  };
}

const remainingJson = (root: RootChoice, after: readonly ScopeState[], nowMs: number): Json =>
  after.flatMap(({ scope, check }) =>
    check.engaged
      ? check.holds.map((hold) => ({
          scope: scopeJson(scope),
          hold: holdJson(hold, nowMs),
          lift_command: liftCommand(root, scope, hold),
        }))
      : [],
  );
