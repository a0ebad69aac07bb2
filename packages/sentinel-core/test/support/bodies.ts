/**
 * Sentinels as other programs write and read them: plain JSON, through `node:fs` alone.
 * What the code under test makes of them is asked in the tests.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of a deadline, from now. */
export const inSeconds = (seconds: number): string =>
  new Date(Date.now() + seconds * 1_000).toISOString().replace('Z', '+00:00');

export const LATER = inSeconds(3_600);
export const PASSED = '2020-01-01T00:00:00.000+00:00';

export interface HoldJson {
  readonly id: string;
  readonly holder?: string;
  readonly reason?: string;
  readonly engaged_at?: string;
  readonly expires_at?: string;
  readonly allow?: { readonly user_ids: readonly string[]; readonly profiles?: readonly string[] };
  readonly [unknown: string]: unknown;
}

export interface BodyJson {
  readonly generation?: string;
  readonly holds?: readonly HoldJson[];
  readonly [field: string]: unknown;
}

/** Another holder's hold, with everything that a rewrite could lose. */
export const KEEPERS = {
  id: 'K',
  holder: 'keeper',
  reason: 'kept',
  engaged_at: '2026-01-02T03:04:05.678+00:00',
  expires_at: LATER,
  allow: { user_ids: ['u1', 'u2'], profiles: ['lane-a'] },
} satisfies HoldJson;

/** A body in which the keeper's hold stands. */
export const STANDING = {
  generation: 'G',
  engaged_at: KEEPERS.engaged_at,
  reason: KEEPERS.reason,
  expires_at: LATER,
  allow: KEEPERS.allow,
  holds: [KEEPERS],
} satisfies BodyJson;

/** A body of which everything has expired. */
export const EXPIRED = {
  generation: 'E',
  expires_at: PASSED,
  holds: [{ id: 'X', holder: 'me', reason: 'over', expires_at: PASSED }],
} satisfies BodyJson;

export const sentinelOf = (dir: string): string => join(dir, 'ESTOP');

export function writeSentinel(dir: string, body: string | Uint8Array | BodyJson): void {
  const raw = typeof body === 'string' || body instanceof Uint8Array;
  writeFileSync(sentinelOf(dir), raw ? body : JSON.stringify(body));
}

export const textOf = (dir: string): string => readFileSync(sentinelOf(dir), 'utf8');

export const readSentinel = (dir: string): BodyJson => JSON.parse(textOf(dir));

export const holdsOf = (dir: string): readonly HoldJson[] => readSentinel(dir).holds ?? [];
