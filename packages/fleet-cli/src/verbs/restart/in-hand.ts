/**
 * What becomes of the work in hand before a restart: it is waited for, and what is left is cut, after its
 * owners were told.
 */
import type { Profile } from '@fleet-estop/sentinel-core';
import { awaitDrained, type DrainReport } from '../../drain/await-drained.ts';
import { drainingOf } from '../../drain/draining.ts';
import type { DrainLook } from '../../drain/judge.ts';
import { progressOf } from '../../drain/progress.ts';
import { counted } from '../../text/fields.ts';
import { span } from '../../text/time.ts';
import { cutWork } from './cut-work.ts';
import type { Run } from './run.ts';

/** Milliseconds for telling the people whose work is cut. */
const TELL_MS = 10_000;

export async function drain(run: Run, profiles: readonly Profile[]): Promise<DrainReport> {
  const { session, drains, timeoutMs, showsDrain } = run;
  const { selection, root } = session;
  const progress = progressOf(timeoutMs, !showsDrain || !drains);
  try {
    return await awaitDrained({
      root: root.root,
      draining: drainingOf({ ...session, selection: { ...selection, profiles } }),
      timeoutMs: drains ? timeoutMs : 0,
      // It would be waited for in vain, and its owner is told instead.
      excludesWedged: true,
      unlisted: null,
      unreached: (why) => progress.say(`gateways cannot be asked: ${why}`),
      looked: progress.show,
    });
  } finally {
    progress.close();
  }
}

/** Conversations that were told. */
export async function cut(
  { session, plan, record }: Run,
  profiles: readonly Profile[],
  notices: string[],
  say: (line: string) => void,
): Promise<number> {
  let told = 0;
  for (const { name } of profiles) {
    const { id } = record;
    const asked = { id, profile: name, reason: plan.reason, deadlineMs: TELL_MS };
    const one = await cutWork(session.root.root, asked);
    told += one.told;
    for (const line of one.untold) say(line);
    notices.push(...one.untold);
  }
  say(`told ${counted(told, 'conversation')} that their work is cut`);
  return told;
}

export function leftText(look: DrainLook, { drains, timeoutMs }: Run): string {
  const left = look.profiles.reduce((sum, one) => sum + one.work.length + one.unexplained, 0);
  const unknown = look.profiles.some(({ unreadable }) => unreadable.length > 0);
  const silent = new Set(look.silent.map(({ instance }) => instance)).size;
  const what = [
    `${counted(left, 'piece')} of work in hand`,
    ...(unknown ? ['a register that cannot be read'] : []),
    ...(silent > 0 ? [`${counted(silent, 'gateway')} that has not acknowledged the hold`] : []),
  ].join(', and ');
  return drains ? `NOT drained after ${span(timeoutMs)}: ${what}` : `not drained: ${what}`;
}
