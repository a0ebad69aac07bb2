/**
 * A short run of every phase on a disk and in memory, with kills and without, and proof that the rig
 * notices when the protocol is broken.
 * Longer ones are `npm run stress`; what all of it shows, and what not, is the README.
 */
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundleFile, type Mutation } from '../../../../scripts/bundle.mjs';
import { needs } from '../support/needs.ts';
import type { PhaseName } from './phases.ts';
import { killsByRole, type PhaseReport } from './report.ts';
import { buildWorker, runPhase } from './rig.ts';

const HARD_SECONDS = 1.2;
const SOFT_SECONDS = 0.5;
const MIN_KILLS = 5;
/** A busy machine starts processes slowly, and every run waits for its kills. */
const TIMEOUT_MS = 90_000;
const SEED = `${Date.now()}`;

const PHASES: readonly (readonly [claim: string, phase: PhaseName])[] = [
  ['a hold that nobody touches is in every look, whoever is killed beside it', 'keep'],
  ['a hold stands until its deadline, whoever retires what expired before it', 'expire'],
  ['a hold vanishes only once a lift of everyone has begun, and never comes back', 'all'],
  ['what another program writes in the place of a dead sentinel holds', 'foreign'],
  ['of several that compare and set one generation, or lift one hold, exactly one wins', 'cas'],
  ['a hold stands as it was left where hard links are refused', 'nolink'],
];

const killed: PhaseReport[] = [];
let worker = '';
beforeAll(async () => {
  worker = await buildWorker();
});

describe.each([tmpdir(), '/dev/shm'])('in %s', (dir) => {
  needs(existsSync(dir) ? undefined : `there is no ${dir} here`);

  test.each(PHASES)(
    '%s',
    async (_claim, phase) => {
      const shared = { phase, dir, seed: SEED, worker };
      const hard = await runPhase({
        ...shared,
        mode: 'hard',
        seconds: HARD_SECONDS,
        minKills: MIN_KILLS,
      });
      killed.push(hard);
      expect(hard).toMatchObject({ firstViolations: [], violations: 0, leftovers: [] });
      expect(hard.killed).toBeGreaterThanOrEqual(MIN_KILLS);

      const soft = await runPhase({ ...shared, mode: 'soft', seconds: SOFT_SECONDS });
      expect(soft).toMatchObject({ firstViolations: [], violations: 0, leftovers: [] });
    },
    TIMEOUT_MS,
  );
});

test('every role was killed while it was at work', () => {
  const roles = ['contender', 'everyone', 'holder', 'look', 'recover', 'retire'];
  expect(Object.keys(killsByRole(killed)).sort()).toEqual(roles);
});

const BROKEN: readonly (readonly [what: string, phase: PhaseName, Mutation])[] = [
  [
    'a rewrite that takes the old sentinel away before the new one is there',
    'keep',
    {
      file: 'disk/rewrite.ts',
      edits: [
        [
          'const code = failureOf(() => disk.rename(draft, sentinel));',
          'disk.unlink(sentinel); const code = failureOf(() => disk.rename(draft, sentinel));',
        ],
      ],
    },
  ],
  [
    'a compare and set that does not compare',
    'cas',
    {
      file: 'disk/arm.ts',
      edits: [["seen.state === 'active' && seen.generation === generation", 'true']],
    },
  ],
];

test.each(BROKEN)(
  '%s is found out',
  async (_what, phase, mutation) => {
    const source = fileURLToPath(new URL('./worker.ts', import.meta.url));
    const report = await runPhase({
      phase,
      dir: tmpdir(),
      seed: SEED,
      worker: await bundleFile(source, { mutate: [mutation] }),
      mode: 'soft',
      seconds: 30,
      stopAtFirstViolation: true,
    });
    expect(report.violations).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
