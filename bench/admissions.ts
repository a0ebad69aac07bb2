/**
 * What a gate's `admit` costs beside the core's own look at the same chain.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openGate } from '@fleet-estop/gateway';
import { chainOf, check, nodeDisk } from '@fleet-estop/sentinel-core';
import type { Bench } from './measure.ts';
import { loop } from './paired.ts';

export function admissions({ dir, measure }: Bench): void {
  const home = join(dir, 'gated', 'profiles', 'lane-a');
  mkdirSync(home, { recursive: true });
  const disk = nodeDisk();
  const { scopes } = chainOf(home);
  const gate = openGate({ home, keepAlive: false });
  const applicant = { door: 'turn', principal: 'somebody' };
  try {
    measure(
      'admit with nothing armed, against check of the same chain',
      2,
      loop(20_000, () => gate.admit(applicant)),
      loop(20_000, () => scopes.map(({ dir: scope }) => check(disk, scope))),
    );
  } finally {
    gate.close();
  }
}
