/**
 * Real fleets with a real gate and different kinds of holds. The behaviour of each door is its own
 * test.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arm, formatInstant } from '@fleet-estop/sentinel-core';
import { onTestFinished } from 'vitest';
import { type Gate, type GateOptions, openGate } from '../../src/index.ts';
import { disk, hold, homeOf, makeRoot } from '../support/fleets.ts';

export { hold, homeOf, liftAll } from '../support/fleets.ts';

export interface DoorFleet {
  readonly root: string;
  readonly gate: Gate;
  /** Receipts of a profile. Default: the first one. */
  receipts(profile?: string): readonly Receipt[];
}

export interface Receipt {
  readonly door: string;
  readonly principal: string | null;
  readonly holds: readonly string[];
}

interface More extends Partial<GateOptions> {
  /** Before the gate opens. */
  readonly before?: (root: string) => void;
}

export function doorFleet(
  profiles: readonly string[] = ['a'],
  { before = () => {}, ...more }: More = {},
): DoorFleet {
  const root = makeRoot(...profiles);
  before(root);
  const gate = openGate({
    home: profiles.map((profile) => homeOf(root, profile)),
    software: 'sample/1.0',
    link: false,
    keepAlive: false,
    ...more,
  });
  onTestFinished(() => gate.close());
  const [first = ''] = profiles;
  return {
    root,
    gate,
    receipts(profile = first) {
      const file = join(homeOf(root, profile), '.fleet', 'refused.ndjson');
      if (!existsSync(file)) return [];
      return readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line));
    },
  };
}

export function holdFor(dir: string, principals: readonly string[], reason = 'only some'): void {
  const result = arm(disk, dir, { reason, allow: { userIds: principals } });
  if (!result.armed) throw new Error(`could not arm ${dir}: ${result.why}`);
}

export const inMs = (ms: number): string => formatInstant(Date.now() + ms);

const sentinel = (dir: string, text: string): void => writeFileSync(join(dir, 'ESTOP'), text);
const inThePast = '2001-01-01T00:00:00Z';

/** Holds that refuse everybody on profile `a`. */
export const HOLDS: readonly (readonly [string, (root: string) => void])[] = [
  ['a hold at the root', (root) => void hold(root, 'bad deploy')],
  ['a hold at the profile', (root) => void hold(homeOf(root, 'a'), 'bad deploy')],
  [
    'holds at both',
    (root) => {
      hold(root, 'bad deploy');
      hold(homeOf(root, 'a'), 'fan-out');
    },
  ],
  ['an empty sentinel', (root) => sentinel(homeOf(root, 'a'), '')],
  ['a corrupt sentinel', (root) => sentinel(root, '{"reason": "half of i')],
  ['a folder in its place', (root) => mkdirSync(join(root, 'ESTOP'))],
];

/** Sentinels that refuse nobody. */
export const NO_HOLDS: readonly (readonly [string, (root: string) => void])[] = [
  ['nothing', () => {}],
  ['an expired hold', (root) => sentinel(root, JSON.stringify({ expires_at: inThePast }))],
  [
    "another profile's hold",
    (root) => {
      mkdirSync(homeOf(root, 'other'));
      hold(homeOf(root, 'other'), 'not here');
    },
  ],
];
