/**
 * Arms a hold, or re-arms a hold of the same holder.
 * `arm-bluntly.ts` arms where no tenure can be acquired or nothing can be written.
 */

import { codeOf } from '../files/errno.ts';
import { entryOf } from '../model/body.ts';
import { clockAt, hasExpired, stampFor } from '../model/deadline.ts';
import { DEFAULT_HOLDER, type Hold } from '../model/hold.ts';
import type { JsonObject } from '../model/json.ts';
import { formatInstant } from '../model/stamp.ts';
import { armBluntly, refused } from './arm-bluntly.ts';
import { checkOnce } from './check.ts';
import { mayBeInRetirement, outlastRetirement } from './foreign-retirement.ts';
import { inspect, type Sentinel } from './inspect.ts';
import { MAX_REASON, shortenReason } from './limits.ts';
import { join, SENTINEL } from './names.ts';
import type { DiskPort } from './port.ts';
import { type ArmRequest, type ArmResult, PATIENCE, type Patience } from './results.ts';
import { rewrite } from './rewrite.ts';
import { withTenure } from './tenure.ts';

const NOTHING_KNOWN: JsonObject = Object.freeze(Object.create(null) as JsonObject);

/**
 * Arms a hold in the scope `dir` and returns what is on disk afterwards. A hold of the same holder
 * is replaced and keeps what the request does not mention (decision: `2026-11-29-re-arm-keeps.md`).
 * Holds of other holders are not touched.
 *
 * It waits for its turn, up to `patience`, and then takes the tenure over from an owner that does
 * not progress. If the disk refuses, it arms by blunter means (`degraded`), but never over a hold
 * in force.
 *
 * `armed: true` is returned only for a hold that was read back from disk [5]. Every arm takes a
 * fresh hold id, so a lift by id ends only the hold that it saw [6]. Throws no errno.
 */
export function arm(
  disk: DiskPort,
  dir: string,
  request: ArmRequest,
  patience: Partial<Patience> = {},
): ArmResult {
  const holder = request.holder ?? DEFAULT_HOLDER;
  // Every arm takes a fresh id, so that a lift by id lifts only the hold that it saw.
  const id = disk.token();
  const expected = request.expectGeneration;
  let mine = holdFor(disk, request, holder, id, null);
  let replaced: Hold | null = null;
  let looks: Sentinel[] = [];
  const { quietLooks } = { ...PATIENCE, ...patience };

  const place = (seen: Sentinel): { keep: readonly Hold[] } | { stop: ArmResult } => {
    looks.push(seen);
    if (expected !== undefined && !isExpected(seen, expected)) {
      return { stop: refused('conflict', seen) };
    }
    const standing = seen.holds.find((hold) => hold.holder === holder);
    const lapsed = standing === undefined ? justLapsed(disk, seen, holder) : undefined;
    replaced = standing ?? lapsed ?? null;
    // No hold may inherit a deadline that has passed.
    const old = lapsed === undefined ? replaced : { ...lapsed, expiresAt: null, expiresAtMs: null };
    mine = holdFor(disk, request, holder, id, old);
    return { keep: [...seen.kept.filter((hold) => hold.holder !== holder), mine] };
  };

  const bluntly = (why: string): ArmResult | null => {
    looks = []; // this arm does not replace what an earlier round saw
    if (expected !== undefined) return refused(why, look(disk, dir)); // a compare-and-set never uses the blunt path
    const fresh = holdFor(disk, request, holder, id, null);
    try {
      const answer = armBluntly(disk, dir, fresh, why);
      return answer === null ? null : withShortened(answer, request);
    } catch (error) {
      return refused(codeOf(error), look(disk, dir));
    }
  };

  let why = 'busy';
  let wroteNothing = false;
  const answer = withTenure<ArmResult>(
    disk,
    dir,
    { ...PATIENCE, ...patience, force: true },
    (tenure) => {
      looks = [];
      const result = rewrite(disk, tenure, place);
      if (result.kind === 'stopped') return result.stop;
      if (result.kind === 'committed') {
        const seen = readBack(disk, dir, mine, request);
        return seen?.armed ? withShortened({ ...seen, replaced }, request) : seen;
      }
      if (result.code === 'contested') return null;
      why = result.code;
      const blunt = bluntly(why);
      wroteNothing = blunt?.armed === false && !blunt.engaged;
      return blunt;
    },
    (none) => {
      why = none;
      return bluntly(why);
    },
  );
  // The tenure's own folders may have used the last space of the disk. Try once more, now that they
  // are released.
  const once = answer === null || wroteNothing ? bluntly(why) : answer;
  // INVARIANTS 3 and 5: a gate of another implementation does not know tenures. It may have moved
  // the new hold away, or be about to.
  const isOurs = once?.armed || once?.why === 'overtaken';
  if (isOurs && quietLooks > 0 && mayBeInRetirement(disk, dir, looks)) {
    const placed = once.armed ? once : armed(mine, { generation: null, holds: [mine] }, replaced);
    const stands = outlastRetirement(disk, dir, placed, quietLooks);
    return stands === null ? asChecked(disk, dir, 'overtaken') : withShortened(stands, request);
  }
  return once?.armed ? once : asChecked(disk, dir, once?.why ?? 'unseen');
}

/**
 * Reads the new hold back, since success is what is on disk afterwards [5]. null: the inherited
 * deadline passed between the look and the commit, so arm again without it.
 */
function readBack(disk: DiskPort, dir: string, mine: Hold, request: ArmRequest): ArmResult | null {
  const seen = look(disk, dir);
  const hold = seen.holds.find((other) => other.id === mine.id);
  if (hold !== undefined) return armed(hold, seen, null);
  if (hasExpired(mine, clockAt(disk.now(), disk)) && request.expiresAt === undefined) return null;
  return refused('overtaken', seen); // it was lifted, removed or replaced in the meantime
}

/**
 * Milliseconds. An operator who extends a hold at its last moment means the hold that has just
 * expired.
 */
const LAPSE_MS = 1_000;

/** This holder's hold that expired at most `LAPSE_MS` ago. */
function justLapsed(disk: DiskPort, seen: Sentinel, holder: string): Hold | undefined {
  const old = seen.expired.find((hold) => hold.holder === holder);
  if (old === undefined || old.expiresAtMs === null) return undefined;
  if (disk.now() - old.expiresAtMs > LAPSE_MS) return undefined;
  return old;
}

const armed = (
  hold: Hold,
  { generation, holds }: Pick<Sentinel, 'generation' | 'holds'>,
  replaced: Hold | null,
): Extract<ArmResult, { armed: true }> => ({
  armed: true,
  id: hold.id,
  hold,
  generation,
  holds,
  replaced,
});

/**
 * The refusal `why`, with what `check` answers now. A scope can be held although this arm failed
 * [5].
 */
function asChecked(disk: DiskPort, dir: string, why: string): ArmResult {
  const found = checkOnce(disk, dir);
  const holds = found.engaged ? found.holds : [];
  const generation = found.engaged ? found.generation : null;
  return { armed: false, why, engaged: found.engaged, holds, generation };
}

function holdFor(
  disk: DiskPort,
  request: ArmRequest,
  holder: string,
  id: string,
  old: Hold | null,
): Hold {
  const reason = request.reason === undefined ? (old?.reason ?? null) : request.reason;
  const { allow } = request;
  const inherits = request.expiresAt === undefined;
  const expiresAt = inherits ? (old?.expiresAt ?? null) : (request.expiresAt ?? null);
  return entryOf({
    id,
    holder,
    reason: reason === null ? null : shortenReason(reason),
    engagedAt: old?.engagedAt ?? formatInstant(disk.now()),
    expiresAt,
    clock: expiresAt === null ? null : stampFor(inherits ? old?.clock : undefined, disk),
    allow: allow === undefined ? (old?.allow ?? null) : allow,
    actor: request.actor ?? null,
    keep: old?.raw ?? NOTHING_KNOWN,
  });
}

function isExpected(seen: Sentinel, generation: string | null): boolean {
  if (generation === null) return seen.state !== 'active';
  return seen.state === 'active' && seen.generation === generation;
}

const look = (disk: DiskPort, dir: string): Sentinel =>
  inspect(disk, join(dir, SENTINEL), disk.now());

const withShortened = (result: ArmResult, { reason }: ArmRequest): ArmResult =>
  result.armed && typeof reason === 'string' && reason.length > MAX_REASON
    ? { ...result, shortened: true }
    : result;
