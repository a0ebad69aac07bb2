/** Real fleets in temporary folders, and links to them that record what they receive. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { onTestFinished } from 'vitest';
import { startWaiting } from '../../../../test/support/until.ts';
import {
  type Link,
  type LinkOptions,
  type LinkStatus,
  openLink,
  type ProfileState,
} from '../../src/index.ts';

export const disk = nodeDisk();

/** Longer than any test: changes must be seen by a notification or a push. */
const NEVER_MS = 600_000;

export function makeRoot(...profiles: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-gw-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  mkdirSync(join(root, 'profiles'));
  for (const profile of profiles) mkdirSync(homeOf(root, profile));
  return root;
}

export const homeOf = (root: string, profile: string): string => join(root, 'profiles', profile);

/** Places a hold of this holder. Returns its id. */
export function hold(dir: string, reason: string, more: { expiresAt?: string } = {}): string {
  const result = arm(disk, dir, { reason, ...more });
  if (!result.armed) throw new Error(`could not arm ${dir}: ${result.why}`);
  return result.id;
}

export const liftAll = (dir: string): void => void lift(disk, dir, { everyone: true });

export interface Linked {
  readonly link: Link;
  readonly states: readonly ProfileState[];
  readonly statuses: readonly LinkStatus[];
  /** The last state of this profile. */
  newest(profile: string): ProfileState | undefined;
  /** Resolves with the first result that is not undefined, now or later. */
  until<T>(find: () => T | undefined): Promise<T>;
  untilEngaged(profile: string, engaged: boolean): Promise<ProfileState>;
  untilLink<Name extends LinkStatus['link']>(
    link: Name,
  ): Promise<Extract<LinkStatus, { link: Name }>>;
}

export function linked(
  root: string,
  profiles: readonly string[],
  options: Partial<LinkOptions> = {},
): Linked {
  const states: ProfileState[] = [];
  const statuses: LinkStatus[] = [];
  const { wake, until } = startWaiting();
  const link = openLink({
    root,
    software: 'sample/1.0',
    profiles: () => profiles.map((name) => ({ name, doors: ['turn'], in_flight: 0 })),
    sweepMs: NEVER_MS,
    heartbeatMs: 20,
    staleAfterMs: 300,
    retry: { firstMs: 5, mostMs: 20 },
    ...options,
    onState(state) {
      states.push(state);
      options.onState?.(state);
      wake();
    },
    onLink(status) {
      statuses.push(status);
      options.onLink?.(status);
      wake();
    },
  });
  onTestFinished(() => link.close());
  const newest = (name: string) => states.findLast(({ profile }) => profile === name);
  return {
    link,
    states,
    statuses,
    newest,
    until,
    untilEngaged: (profile, engaged) =>
      until(() => {
        const state = newest(profile);
        return state?.engaged === engaged ? state : undefined;
      }),
    untilLink: <Name extends LinkStatus['link']>(name: Name) =>
      until(() => {
        const status = link.status();
        return status.link === name ? (status as Extract<LinkStatus, { link: Name }>) : undefined;
      }),
  };
}

export const reasons = (state: ProfileState | undefined): (string | null)[] =>
  (state?.scopes ?? []).flatMap(({ check }) =>
    check.engaged ? check.holds.map((it) => it.reason) : [],
  );
