/**
 * The default holder: whose hold is placed, extended or lifted without `--as`. The name keeps people from
 * lifting each other's holds by accident. It grants nothing: who can write the file can use any name.
 */
import {
  accountName,
  DEFAULT_HOLDER,
  HOLDER_NAME_RULE,
  type Hold,
  isHolderName,
  personName,
} from '@fleet-estop/sentinel-core';
import { usageError } from '../cli/values.ts';

/** For the help of `--as`. */
export const HOLDER_RULE = 'you: FLEET_HOLDER, else SUDO_USER, else the user';

/** Throws if FLEET_HOLDER is not a valid name, because another holder is not what the user meant. */
export function defaultHolder(): string {
  const { FLEET_HOLDER, SUDO_USER } = process.env;
  if (FLEET_HOLDER) {
    if (isHolderName(FLEET_HOLDER)) return FLEET_HOLDER;
    throw usageError(
      `\`${FLEET_HOLDER}\`, which FLEET_HOLDER names, cannot be a holder`,
      `${HOLDER_NAME_RULE}; set it again, or use --as`,
    );
  }
  const names = [SUDO_USER, accountName()];
  return names.find((name) => name !== undefined && isHolderName(name)) ?? DEFAULT_HOLDER;
}

/** Whether `fleet resume` without `--as` lifts it for the current user. */
export function isLiftedByDefault({ holder }: Hold): boolean {
  if (holder === null) return true;
  try {
    return holder === defaultHolder();
  } catch {
    return false;
  }
}

/** The user in a record that names none. */
const NOBODY_NAMED = '?';

/** Whether another user placed it; false if the user is not recorded. */
export const isOfAnother = ({ actor }: Hold): boolean =>
  actor !== null && actor.user !== NOBODY_NAMED && actor.user !== personName();
