/**
 * Executes `/pause` and `/pause off` on a profile's own sentinel, and replies with what was read back.
 * Permission is checked in `pause-command.ts`; the lines of a reply are `replies.ts`.
 */
import {
  type ArmResult,
  formatInstant,
  type Hold,
  lift,
  MAX_INSTANT_MS,
  retire,
  type ScopeCheck,
  type ScopeState,
} from '@fleet-estop/sentinel-core';
import { oneLine } from '../gate/notice.ts';
import type { Ttl } from './options.ts';
import type { PauseCommand } from './parse.ts';
import { PATIENCE, placeHold } from './place-hold.ts';
import {
  armedNotices,
  closedOutNotice,
  deadlineText,
  holdLines,
  MAX_WORDS,
  type PauseReply,
  reasonText,
  recordNotice,
  whyText,
} from './replies.ts';
import { takeOverNotices } from './take-over.ts';
import {
  actorOf,
  nameOf,
  ownScope,
  type PauseTarget,
  readChain,
  record,
  sharing,
} from './target.ts';

/**
 * Arms a hold of this holder. What the command leaves out is kept from this holder's own hold, or else
 * taken over from the holds of others.
 */
export function pauseProfile(
  target: PauseTarget,
  command: Extract<PauseCommand, { kind: 'pause' }>,
): PauseReply {
  const scope = ownScope(target);
  if (scope === null) return sharedWithTheFleet(target, 'pause');
  const { disk, holder } = target;
  const nowMs = disk.now();
  const expiresAt = deadlineOf(command.ttl, nowMs);
  const { result, before, isNew } = placeHold(target, scope, {
    actor: actorOf(target),
    ...(command.reason === null ? {} : { reason: command.reason }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(command.close ? { allow: null } : {}),
  });
  if (!result.armed) return notPaused(target, `was not placed: ${whyText(result.why)}`);

  const unrecorded = record(target, {
    event: result.replaced === null ? 'arm' : 're-arm',
    scope: scope.dir,
    holds: [result.hold],
    generation: result.generation,
  });
  const { states, engaged, lost } = readChain(target);
  const [own] = states;
  if (lost !== null) {
    return notPaused(target, `was placed, and then its folder was gone: ${whyText(lost)}`);
  }
  if (own === undefined || !stands(result.hold, own.check)) {
    return notPaused(target, 'was placed, but somebody else has lifted or replaced it since');
  }
  const { profile } = target.chain;
  const shared = sharing(target);
  const others = othersIn(states, result.hold);
  const lines = [
    headline(target, result, nowMs),
    ...armedNotices(result),
    ...beyondDates(command.ttl, expiresAt),
    ...(isNew ? takeOverNotices(command, result.hold, states, profile) : []),
    ...(shared.length === 0
      ? []
      : [
          `Also paused, because they link to the same folder: ${oneLine(shared.join(', '), MAX_WORDS)}.`,
        ]),
    ...closedOutNotice(before, result.hold, profile),
    ...recordNotice(unrecorded),
    ...(others.length === 0 ? [] : ['Also held:', ...holdLines(others, holder, nowMs)]),
  ];
  return { outcome: 'paused', done: true, engaged, text: lines.join('\n') };
}

/** Lifts this holder's hold and nobody else's, and replies with what still holds. */
export function liftHold(target: PauseTarget): PauseReply {
  const scope = ownScope(target);
  if (scope === null) return sharedWithTheFleet(target, 'resume');
  const { disk, holder } = target;
  const result = lift(disk, scope.dir, { holder }, {}, PATIENCE);
  // Readers of the oldest format are held for as long as the file exists, expired or not.
  const expired = !result.lifted && result.why === 'expired';
  const retired = expired ? retire(disk, scope.dir, { certain: true }) : null;
  // The reply reports what is on disk now, whatever `lift` returned [5].
  const { states, engaged } = readChain(target);
  const own = states[0]?.check;
  const entry = { scope: scope.dir, generation: own?.engaged ? own.generation : null };
  let unrecorded: string | null = null;
  if (result.lifted) unrecorded = record(target, { ...entry, event: 'lift', holds: result.holds });
  if (retired?.retired) {
    unrecorded = record(target, { ...entry, event: 'retire', holds: retired.holds });
  }

  const name = nameOf(target);
  if (!engaged) {
    const said = result.lifted ? `Resumed ${name}: nothing holds it.` : `Nothing holds ${name}.`;
    const outcome = result.lifted ? 'resumed' : 'free';
    return { outcome, done: true, engaged, text: [said, ...recordNotice(unrecorded)].join('\n') };
  }
  const lines = [
    `${name} is STILL PAUSED${result.lifted ? ", though this chat's hold is lifted" : ''}:`,
    ...holdLines(states, holder, disk.now()),
    ...(result.lifted || BENIGN.has(result.why) ? [] : [`Not lifted: ${whyText(result.why)}.`]),
    ...recordNotice(unrecorded),
  ];
  return { outcome: 'still-paused', done: false, engaged, text: lines.join('\n') };
}

/** Reasons for lifting nothing that are not failures by themselves. */
const BENIGN: ReadonlySet<string> = new Set(['absent', 'expired', 'not-held']);

function headline(
  target: PauseTarget,
  { hold, replaced }: Extract<ArmResult, { armed: true }>,
  nowMs: number,
): string {
  const again = replaced === null ? '' : ' again';
  const lifted = hold.holder === target.holder ? ' `/pause off` lifts this.' : '';
  return `Paused ${nameOf(target)}${again}: ${reasonText(hold)}, ${deadlineText(hold, nowMs)}. New work is held, work in hand goes on.${lifted}`;
}

function sharedWithTheFleet(target: PauseTarget, verb: 'pause' | 'resume'): PauseReply {
  const text = `Nothing was changed: ${nameOf(target)} is served from the fleet's root folder, so its sentinel is the whole fleet's. An operator can ${verb} the fleet: \`fleet ${verb}\`.`;
  return { outcome: 'failed', done: false, engaged: readChain(target).engaged, text };
}

/** `fate` says what became of the hold. */
function notPaused(target: PauseTarget, fate: string): PauseReply {
  const { states, engaged, lost } = readChain(target);
  const others = lost === null ? states : states.slice(1);
  const said = `your hold on ${nameOf(target)} ${fate}.`;
  const lines = others.some(({ check }) => check.engaged)
    ? [
        `NOT paused by you: ${said}`,
        'It is still held by others, but only for as long as they hold it:',
        ...holdLines(others, target.holder, target.disk.now()),
      ]
    : [`NOT paused: ${said}`];
  return { outcome: 'failed', done: false, engaged, text: lines.join('\n') };
}

/** An unreadable sentinel counts: the hold was seen before, and the profile is held in any case. */
const stands = ({ id }: Hold, found: ScopeCheck): boolean =>
  found.engaged && (found.unreadable !== undefined || found.holds.some((hold) => hold.id === id));

/** The scopes with all holds but this one. */
function othersIn(states: readonly ScopeState[], { id }: Hold): ScopeState[] {
  return states.flatMap(({ scope, check: found }) => {
    if (!found.engaged) return [];
    const holds = found.holds.filter((hold) => hold.id !== id);
    return holds.length === 0 ? [] : [{ scope, check: { ...found, holds } }];
  });
}

/** undefined if the command gave none; null if it asked for none, or if the date is out of range. */
function deadlineOf(ttl: Ttl | 'none' | null, nowMs: number): string | null | undefined {
  if (ttl === null) return undefined;
  if (ttl === 'none') return null;
  const deadlineMs = BigInt(nowMs) + ttl.seconds * 1000n;
  return deadlineMs > BigInt(MAX_INSTANT_MS) ? null : formatInstant(Number(deadlineMs));
}

function beyondDates(ttl: Ttl | 'none' | null, expiresAt: string | null | undefined): string[] {
  if (ttl === null || ttl === 'none' || expiresAt !== null) return [];
  return [`\`${oneLine(ttl.text, 40)}\` is later than any date, so this has NO deadline.`];
}
