/**
 * What an arm commits as its own: what was asked for, and for the rest what its holder's hold said;
 * never a deadline that has passed.
 */
import type { Ghost, Note, Step } from './ghost.ts';
import { factsOf, type HoldFacts, type HoldText } from './reading.ts';

const INHERITED = ['expiresAt', 'allow', 'reason'] as const;

export function faultsOfOwn(ghost: Ghost, { actor, after }: Step, mine: HoldText): Note[] {
  const asked = actor.arm!;
  const is = factsOf(mine);
  const committed = ghost.own[actor.index];
  const previous = committed == null ? null : factsOf(committed);
  const ofHolder = (texts: readonly HoldText[]): HoldFacts[] =>
    texts.map(factsOf).filter(({ id, holder }) => holder === is.holder && id !== is.id);

  const takenMayReturn = Object.keys(ghost.taken).length > 0;
  const passed = previous?.expiresAtMs != null && previous.expiresAtMs <= after.now;
  const timedOut = ofHolder(ghost.timedOut ?? []);
  // Expired, or taken out, while we worked: kept or not, both are right.
  const isOpen = (given: boolean) => takenMayReturn || passed || (timedOut.length > 0 && !given);

  // A hold that stands again, in one of the documented windows, may be inherited from or not.
  const [former = null] = previous === null ? ofHolder(ghost.inForce) : [previous];
  const maybe = ofHolder(ghost.tolerated);

  const faults: Note[] = [];
  const compare = (field: keyof HoldFacts, right: readonly unknown[]) => {
    const has = JSON.stringify(is[field]);
    const wants = right.map((value) => JSON.stringify(value));
    if (wants.includes(has)) return;
    faults.push({ breaks: 'INHERIT', text: `${field} is ${has} and not ${wants.join(' or ')}` });
  };
  for (const field of INHERITED) {
    const given = asked[field];
    if (isOpen(given !== undefined)) continue;
    compare(
      field,
      given !== undefined
        ? [given]
        : [former?.[field] ?? null, ...maybe.map((hold) => hold[field])],
    );
  }
  // Without a new reason it is the same stop, engaged since then.
  if (former !== null && asked.reason === undefined && !isOpen(false)) {
    compare(
      'engagedAt',
      [former, ...maybe].map((hold) => hold.engagedAt),
    );
  }
  return faults;
}
