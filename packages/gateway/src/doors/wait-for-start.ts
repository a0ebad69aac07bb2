/**
 * Waits until a scheduler's door may start something, where `resumeRate` says "not yet".
 */
import type { Door, Gate } from '../gate/gate.ts';

/** A hold that comes meanwhile is seen so soon, and another door may have given a start back. */
const LONGEST_WAIT_MS = 1_000;

/**
 * After `dispatch` has answered false: resolves with true when it has answered true, and with false as soon as
 * something holds, or `isOver` says so.
 */
export async function waitForStart(
  gate: Gate,
  door: Door,
  profile: string,
  isOver: () => boolean = () => false,
): Promise<boolean> {
  do {
    if (!gate.ask({ door, profile }).admitted) return false;
    const waitMs = Math.min(Math.ceil(gate.startsInMs(profile)), LONGEST_WAIT_MS);
    await turnIn(Math.max(1, waitMs));
    if (isOver()) return false;
  } while (!gate.dispatch(door, profile));
  return true;
}

/** Whether the process stays alive meanwhile is the gate's affair (`keepAlive`). */
const turnIn = (ms: number): Promise<void> =>
  new Promise((resolve) => void setTimeout(resolve, ms).unref());
