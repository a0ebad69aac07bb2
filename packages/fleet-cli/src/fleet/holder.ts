/**
 * Who asks: whose hold is placed, moved or lifted where `--as` names nobody. A name that keeps people
 * out of each other's way, never an authority: whoever may write the file may take any.
 */
import { DEFAULT_HOLDER, type Hold } from '@fleet-estop/sentinel-core';
import { isHolderName, usageError } from '../cli/values.ts';
import { actorOf, userName } from './actor.ts';

/** For the help of `--as`. */
export const HOLDER_RULE = 'you: FLEET_HOLDER, else SUDO_USER, else the user';

/** Throws where FLEET_HOLDER is no name of a holder: to go on as somebody else is not what was meant. */
export function defaultHolder(): string {
  const { FLEET_HOLDER, SUDO_USER } = process.env;
  if (FLEET_HOLDER) {
    if (isHolderName(FLEET_HOLDER)) return FLEET_HOLDER;
    throw usageError(
      `\`${FLEET_HOLDER}\`, which FLEET_HOLDER names, cannot be a holder`,
      'a holder is 1 to 64 characters, all of them visible; set it anew, or say who with --as',
    );
  }
  const names = [SUDO_USER, userName()];
  return names.find((name) => name !== undefined && isHolderName(name)) ?? DEFAULT_HOLDER;
}

/** Whether `fleet resume` without `--as` lifts it for whoever runs this. */
export function isLiftedByDefault({ holder }: Hold): boolean {
  if (holder === null) return true;
  try {
    return holder === defaultHolder();
  } catch {
    return false;
  }
}

/** What stands for a name in a record that has none. */
const NOBODY_NAMED = '?';

/** Placed by another user than the one who runs this; false as well where nobody wrote down who. */
export const isOfAnother = ({ actor }: Hold): boolean =>
  actor !== null && actor.user !== NOBODY_NAMED && actor.user !== actorOf('').user;
