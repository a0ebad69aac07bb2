/**
 * Sets rounds up in which several processes go for one generation or one hold, and judges each by
 * what they claim and by what stands on disk: exactly one wins.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { arm } from '../../src/disk/arm.ts';
import { check } from '../../src/disk/check.ts';
import { lift } from '../../src/disk/lift.ts';
import { recover } from '../../src/disk/recover.ts';
import type { ArmResult } from '../../src/disk/results.ts';
import type { Hold } from '../../src/model/hold.ts';
import type { ScopeCheck } from '../../src/model/scope.ts';
import { type Claim, claimOf, markOf, type Prize, type Round, roundOf } from './contender.ts';
import type { Member } from './crew.ts';
import { remains } from './own-hold.ts';
import type { Site } from './site.ts';

const PATIENCE = { tries: 12, rounds: 20, waitMs: 0 };
const MIN_TAKERS = 2;
const MAX_ROUND_MS = 10_000;
/** From the announcement to the start: every taker has seen it by then. */
const NOTICE_MS = 4;
/** May have committed all the same, and says so to nobody. */
const UNSURE = ['died', 'abandoned', 'busy', 'unseen'];

/** Who else stands in the scope, and must stand there afterwards. */
const BYSTANDER = { holder: 'bystander', reason: 'stays', expiresAt: null, allow: null } as const;
const PREY = { holder: 'prey', reason: 'goes', expiresAt: null, allow: null } as const;

interface SetUp {
  readonly prize: Prize;
  /** Holds of these holders must stand afterwards. */
  readonly stay: readonly string[];
  /** The hold that is to be lifted. */
  readonly prey?: string;
}

export async function holdContests(site: Site): Promise<void> {
  const kinds = Object.entries(setUps);
  for (let number = 1; site.running(); number++) {
    const [kind, setUp] = kinds[number % kinds.length] ?? [];
    if (kind === undefined || setUp === undefined) return;
    await rest(site);
    const prepared = setUp(site);
    const takers = site.crew.members().filter(({ ready, gone }) => ready && !gone);
    if (takers.length < MIN_TAKERS) continue;
    const round: Round = {
      number,
      prize: prepared.prize,
      takers: takers.map(({ pid }) => pid),
      startMs: Date.now() + NOTICE_MS,
    };
    roundOf(site.ledger).write(round);
    const claims = await claimsOf(site, round, takers);
    judge(site, kind, prepared, round, claims);
    site.ledger.count(`round ${kind}`);
  }
}

/** Until enough contenders are at work. */
async function rest({ crew, running }: Site): Promise<void> {
  const working = () => crew.members().filter(({ ready, gone }) => ready && !gone).length;
  do await setTimeout(1);
  while (working() < MIN_TAKERS && running());
}

const setUps: Record<string, (site: Site) => SetUp> = {
  'replace a generation': (site) => {
    clear(site);
    const { generation } = place(site, BYSTANDER);
    return { prize: { arm: { expectGeneration: generation } }, stay: [BYSTANDER.holder] };
  },
  'arm where nothing stands': (site) => {
    clear(site);
    return { prize: { arm: { expectGeneration: null } }, stay: [] };
  },
  'arm over an expired one': (site) => {
    clear(site);
    // Nobody is at work between two rounds, so this needs no tenure.
    const body = { generation: 'expired', expires_at: '2001-01-01T00:00:00Z' };
    writeFileSync(`${site.scope}/ESTOP`, JSON.stringify(body));
    return { prize: { arm: { expectGeneration: null } }, stay: [] };
  },
  'lift the last hold': (site) => {
    clear(site);
    const { id } = place(site, PREY);
    return { prize: { lift: { id } }, stay: [], prey: id };
  },
  'lift one of two holds': (site) => {
    clear(site);
    place(site, BYSTANDER);
    const { id } = place(site, PREY);
    return { prize: { lift: { id } }, stay: [BYSTANDER.holder], prey: id };
  },
  'lift a generation': (site) => {
    clear(site);
    const { id, generation } = place(site, PREY);
    return { prize: { lift: { ifGeneration: generation ?? '' } }, stay: [], prey: id };
  },
};

function clear({ disk, scope }: Site): void {
  const answer = lift(disk, scope, { everyone: true }, {}, PATIENCE);
  if (answer.lifted || answer.why === 'absent') return;
  throw new Error(`a contest could not be set up: ${JSON.stringify(answer)}`);
}

function place({ disk, scope }: Site, request: typeof BYSTANDER | typeof PREY) {
  const answer: ArmResult = arm(disk, scope, request, PATIENCE);
  if (answer.armed) return answer;
  throw new Error(`a contest could not be set up: ${JSON.stringify(answer)}`);
}

/** What each taker says, or that it died. */
async function claimsOf(
  { ledger }: Site,
  { number }: Round,
  takers: readonly Member[],
): Promise<Map<Member, Claim>> {
  const deadline = performance.now() + MAX_ROUND_MS;
  const claims = new Map<Member, Claim>();
  while (claims.size < takers.length) {
    for (const member of takers) {
      if (claims.has(member)) continue;
      const { gone, pid } = member;
      const claim = claimOf(ledger, pid).read();
      // Gone first, then its claim: it may have written one just before.
      if (claim?.round === number) claims.set(member, claim);
      else if (gone) claims.set(member, { round: number, won: false, why: 'died' });
      else if (performance.now() > deadline) {
        ledger.violation({ by: member.role.name, what: 'never came back from its operation' });
        claims.set(member, { round: number, won: false, why: 'unseen' });
      }
    }
    await setTimeout(0);
  }
  return claims;
}

function judge(
  site: Site,
  kind: string,
  { stay, prey }: SetUp,
  { number, takers }: Round,
  claims: ReadonlyMap<Member, Claim>,
): void {
  const { scope, ledger } = site;
  const before = remains(scope);
  const found = settledCheck(site);
  const holds: readonly Hold[] = found.engaged ? found.holds : [];
  const named = [...claims].map(([{ role, pid }, claim]) => ({ name: role.name, pid, ...claim }));
  const winners = named.filter(({ won }) => won);
  const unsure = named.filter(({ why }) => UNSURE.includes(why));
  for (const { why } of named) ledger.count(`answer ${why}`);
  const violation = (what: string) =>
    ledger.violation({ by: kind, what, number, takers, claims: named, found, before });

  if (winners.length > 1) violation('more than one won');
  for (const holder of stay) {
    if (!holds.some((hold) => hold.holder === holder)) violation(`the hold of ${holder} is lost`);
  }
  /** Whether it happened, and by whose hand where the disk tells. */
  let happened: boolean;
  if (prey === undefined) {
    const marked = holds.filter(({ reason }) => reason === markOf(number));
    happened = marked.length > 0;
    if (marked.length > 1) violation('more than one committed');
    const [winner] = winners;
    if (winner !== undefined && marked[0]?.id !== winner.id) violation("the winner's hold is lost");
    const owner = marked[0]?.holder;
    if (winner === undefined && happened && !unsure.some(({ name }) => name === owner)) {
      violation('a loser committed');
    }
  } else {
    happened = !holds.some(({ id }) => id === prey);
    if (winners.length > 0 && !happened) violation('lifted, but it stands');
    if (winners.length === 0 && happened && unsure.length === 0) violation('lifted by nobody');
  }
  // An answer that somebody else was first needs somebody else.
  const beaten = named.some(({ won, why }) => !won && !UNSURE.includes(why));
  if (!happened && beaten) violation('beaten by nobody');
  if (winners.length === 0) ledger.count(happened ? 'won by the dead' : 'won by nobody');
}

/** After whatever the dead left has been finished or given back. */
function settledCheck({ scope, disk }: Site): ScopeCheck {
  recover(disk, scope, { force: true });
  return check(disk, scope);
}
