/**
 * The output of `fleet gate`: the notice of a refusal, and the decision as a JSON document.
 */
import type { Ruling } from '@fleet-estop/sentinel-core';
import {
  deadline,
  headline,
  howToLift,
  liftCommand,
  profileName,
  scopeName,
} from '../../fleet/hold-text.ts';
import { holdJson, rootJson, scopeJson, stateJson } from '../../fleet/json.ts';
import { isHeld } from '../../fleet/state.ts';
import { unreadNotices } from '../../fleet/unread-text.ts';
import { counted, type Field, fields } from '../../text/fields.ts';
import type { Json } from '../../text/json.ts';
import type { View } from '../../text/view.ts';
import { visible } from '../../text/visible.ts';
import type { GateFacts } from './facts.ts';

export function gateLines({ reply, profile }: GateFacts, { paint }: View): string[] {
  if (!reply.admitted) return [];
  const although = isHeld(reply.states) ? ': every hold there lets this user pass' : '';
  return [`${paint('green', 'ADMITTED')} ${profileName(profile)}${although}`];
}

/** For stderr: the holds that refuse, until when, and how to lift them. */
export function gateNotices(facts: GateFacts): string[] {
  const { session, profile, door, reply, waitedMs } = facts;
  if (reply.admitted) return [];
  const { denials, unknown, states } = reply;
  const at = door === null ? '' : ` at the door \`${door}\``;
  const waited = waitedMs === null ? '' : ', and the time to wait is up';
  const why =
    denials.length === 0
      ? 'not known to be running'
      : `paused by ${counted(denials.length, 'hold')}`;
  const lines = [`REFUSED ${profileName(profile)}${at}: ${why}${waited}`];
  for (const denial of denials) lines.push(...denialLines(facts, denial));
  if (unknown !== null) {
    lines.push(
      `  what holds in ${visible(unknown)} is unknown: that folder is gone, is not a fleet any more, or keeps changing`,
    );
  }
  lines.push(...unreadNotices(states).map((notice) => `  ${notice}`));
  if (denials.length === 0 && unknown === null) lines.push(`  root ${visible(session.root.root)}`);
  return lines;
}

function denialLines({ session, user }: GateFacts, { scope, hold, because }: Ruling): string[] {
  const { root, nowMs } = session;
  const facts: Field[] = [['  until', deadline(hold, nowMs)]];
  if (user !== null && hold.allow !== null) {
    facts.push(['  allowlist', `not for \`${visible(user)}\` (${because})`]);
  }
  facts.push(['  lift with', howToLift(root, scope, hold)]);
  return [`  ${scopeName(scope)} by ${headline(hold)}`, ...fields(facts)];
}

export function gateDocument(facts: GateFacts): { [key: string]: Json } {
  const { session, profile, door, user, reply, waitedMs } = facts;
  const { root, nowMs } = session;
  return {
    schema: 'fleet/gate/v1',
    ...rootJson(root),
    skipped: [],
    profile,
    door,
    user,
    admitted: reply.admitted,
    waited_ms: waitedMs === null ? null : Math.round(waitedMs),
    scopes: reply.states.map((state) => stateJson(state, nowMs)),
    denials: reply.denials.map(({ scope, hold, because }) => ({
      scope: scopeJson(scope),
      hold: holdJson(hold, nowMs),
      because,
      lift_command: liftCommand(root, scope, hold),
    })),
    unknown: reply.unknown,
  };
}

/** The document with the same keys if the root could not be read. */
export const unreachableDocument = (
  asked: { readonly profile?: string; readonly door?: string; readonly user?: string },
  why: string,
): { [key: string]: Json } => ({
  schema: 'fleet/gate/v1',
  root: null,
  root_source: null,
  skipped: [],
  profile: asked.profile ?? null,
  door: asked.door ?? null,
  user: asked.user ?? null,
  admitted: false,
  waited_ms: null,
  scopes: [],
  denials: [],
  unknown: why,
});
