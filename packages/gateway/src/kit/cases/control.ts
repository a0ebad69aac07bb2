/**
 * What is asked of `/pause` in band: it passes while held, it is for those who may, and it touches
 * nobody else's hold.
 */
import type { Hold } from '@fleet-estop/sentinel-core';
import type { ControlDriver } from '../adapter.ts';
import type { Case, CaseContext } from '../case.ts';
import { DoorFailure } from '../failure.ts';
import type { KitScope } from '../fleet.ts';
import type { Probe } from '../probe.ts';
import { quoted } from '../quoted.ts';
import { mustBegin } from './every-door.ts';

const DOOR = 'control';
const MAY = 'let `mayControl` of `pauseCommand` answer true for exactly those who may';
const FIRST =
  'hand every message to `pauseCommand(…).handle` before any door, and reply with its text';

/** `probe`: a door that the lift must open again; undefined: none was given. */
export function controlCases<Gateway>(
  control: ControlDriver<Gateway>,
  probe: Probe<Gateway> | undefined,
): Case<Gateway>[] {
  /** Answers what was replied, as part of a failure's message. */
  const say = async (
    { gateway, patience }: CaseContext<Gateway>,
    principal: string,
    text: string,
  ) => {
    const reply = await patience.answer(DOOR, () => control(gateway, { principal, text }));
    if (typeof reply === 'string' && reply !== '') return `it was answered with ${quoted(reply)}`;
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
        const armed = `\`/pause\` by one who may armed nothing: ${paused}`;
        mustHold(fleet.holds('profile'), armed, FIRST);
        const whole = `\`/pause\` in one profile holds the whole fleet: ${paused}`;
        mustNotHold(fleet.holds('root'), whole, FIRST);
        const resumed = await say(context, principals.operator, '/pause off');
        const lifted = `\`/pause off\` by one who may lifted nothing: ${resumed}`;
        mustNotHold(fleet.holds('profile'), lifted, FIRST);
        if (probe && begin) await mustBegin(context, probe, begin, '`/pause off` was said in band');
      },
    },
    {
      door: DOOR,
      title: '/pause passes while the fleet and the profile are held',
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
        const stands = `\`/pause off\` did not lift its own hold while others stood: ${said}`;
        mustNotHold(left, stands, FIRST);
      },
    },
    {
      door: DOOR,
      title: '/pause does nothing for whoever may not',
      async run(context) {
        const { fleet, principals } = context;
        const paused = await say(context, principals.other, '/pause tried by the kit');
        const armed = `\`/pause\` by one who may not armed a hold: ${paused}`;
        mustNotHold(fleet.holds('profile'), armed, MAY);
        await say(context, principals.operator, '/pause tried by the kit');
        const resumed = await say(context, principals.other, '/pause off');
        const lifted = `\`/pause off\` by one who may not lifted a hold: ${resumed}`;
        mustHold(fleet.holds('profile'), lifted, MAY);
      },
    },
    {
      door: DOOR,
      title: "/pause leaves an operator's hold as it is, allowlist and deadline included",
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
            "use `pauseCommand`, which has a holder of its own and changes nobody else's hold",
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
