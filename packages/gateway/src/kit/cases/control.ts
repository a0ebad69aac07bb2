/**
 * The cases for `/pause` in band: it works while held, only for permitted users, and changes no other
 * hold.
 */

import type { Hold } from '@fleet-estop/sentinel-core';
import { visible } from '@fleet-estop/sentinel-core';
import type { ControlDriver } from '../adapter.ts';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import type { KitScope } from '../fleet.ts';
import type { Probe } from '../probe.ts';
import { mustBegin } from './every-door.ts';

const DOOR = 'control';
const MAY = 'let `mayControl` of `pauseCommand` answer true for permitted users only';
const FIRST =
  'pass every message to `pauseCommand(…).handle` before any door, and reply with its text';

/** `probe` is a door that must open again after the lift; undefined if the adapter has none. */
export function controlCases<Gateway>(
  control: ControlDriver<Gateway>,
  probe: Probe<Gateway> | undefined,
): Case<Gateway>[] {
  /** Sends a command. Returns its reply as part of a failure message. */
  const say = async (
    { gateway, patience }: CaseContext<Gateway>,
    principal: string,
    text: string,
  ) => {
    const reply = await patience.answer(DOOR, () => control(gateway, { principal, text }));
    if (typeof reply === 'string' && reply !== '') return `the reply was ${quoted(reply)}`;
    throw new DoorFailure(DOOR, `\`${text}\` was not answered`, FIRST);
  };

  return [
    {
      door: DOOR,
      title: '/pause pauses the profile in band, and /pause off opens it again',
      async run(context) {
        const { fleet, principals } = context;
        const begin = await probe?.prepare(context, principals.other);
        const paused = await say(context, principals.operator, '/pause tried by the kit');
        const armed = `\`/pause\` by a permitted user placed no hold: ${paused}`;
        mustHold(fleet.holds('profile'), armed, FIRST);
        const whole = `\`/pause\` in one profile placed a hold on the whole fleet: ${paused}`;
        mustNotHold(fleet.holds('root'), whole, FIRST);
        const resumed = await say(context, principals.operator, '/pause off');
        const lifted = `\`/pause off\` by a permitted user lifted nothing: ${resumed}`;
        mustNotHold(fleet.holds('profile'), lifted, FIRST);
        if (probe && begin) await mustBegin(context, probe, begin, '`/pause off` was sent in band');
      },
    },
    {
      door: DOOR,
      title: '/pause works while the fleet and the profile are held',
      async run(context) {
        const { fleet, principals } = context;
        await say(context, principals.operator, '/pause tried by the kit');
        const [own] = fleet.holds('profile');
        const [scopes, sent]: [KitScope[], string[]] = [
          ['root', 'profile'],
          ['/pause status', '/pause off'],
        ];
        for (const scope of scopes) fleet.arm(scope);
        let said = '';
        for (const text of sent) said = await say(context, principals.operator, text);
        const left = fleet.holds('profile').filter(({ id }) => id === own?.id);
        const stands = `\`/pause off\` did not lift its own hold beside other holds: ${said}`;
        mustNotHold(left, stands, FIRST);
      },
    },
    {
      door: DOOR,
      title: '/pause changes nothing for users without permission',
      async run(context) {
        const { fleet, principals } = context;
        const paused = await say(context, principals.other, '/pause tried by the kit');
        const armed = `\`/pause\` by a user without permission placed a hold: ${paused}`;
        mustNotHold(fleet.holds('profile'), armed, MAY);
        await say(context, principals.operator, '/pause tried by the kit');
        const resumed = await say(context, principals.other, '/pause off');
        const lifted = `\`/pause off\` by a user without permission lifted a hold: ${resumed}`;
        mustHold(fleet.holds('profile'), lifted, MAY);
      },
    },
    {
      door: DOOR,
      title: "/pause does not change an operator's hold, its allowlist or its deadline",
      async run(context) {
        const { fleet, principals } = context;
        const endsAtMs = Date.now() + 3_600_000;
        const allow = { userIds: [principals.listed] };
        const id = fleet.arm('profile', { reason: 'kit-operator-reason', allow, endsAtMs });
        const before = shown(fleet.holds('profile'), id);
        for (const text of ['/pause tried by the kit', '/pause --ttl 1m', '/pause off']) {
          const said = await say(context, principals.operator, text);
          if (shown(fleet.holds('profile'), id) === before) continue;
          throw new DoorFailure(
            DOOR,
            `\`${text}\` changed an operator's hold, or removed it: ${said}`,
            'use `pauseCommand`, which has its own holder and changes no other hold',
          );
        }
      },
    },
  ];
}

const shown = (holds: readonly Hold[], id: string): string | undefined => {
  const hold = holds.find((it) => it.id === id);
  return hold && JSON.stringify([hold.holder, hold.reason, hold.expiresAt, hold.allow]);
};

function mustHold(holds: readonly Hold[], otherwise: string, hint: string): void {
  if (holds.length === 0) throw new DoorFailure(DOOR, otherwise, hint);
}

function mustNotHold(holds: readonly Hold[], otherwise: string, hint: string): void {
  if (holds.length > 0) throw new DoorFailure(DOOR, otherwise, hint);
}

/** Characters (UTF-16 code units) of a reply that are shown. */
const MAX_SHOWN = 200;

/** The text in double quotes, followed by the number of cut characters if it was cut. */
export function quoted(text: string): string {
  const isCut = text.length > MAX_SHOWN;
  const shown = isCut ? text.slice(0, MAX_SHOWN).replace(/[\ud800-\udbff]$/, '') : text;
  const escaped = visible(JSON.stringify(shown));
  return isCut ? `${escaped} and ${text.length - shown.length} characters more` : escaped;
}
