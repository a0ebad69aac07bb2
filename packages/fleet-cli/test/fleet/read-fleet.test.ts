/** What is read of a fleet while holds move in it. */
import { arm, lift, nodeDisk } from '@fleet-estop/sentinel-core';
import { expect, it } from 'vitest';
import { readFleet } from '../../src/fleet/read-fleet.ts';
import { openSession } from '../../src/fleet/session.ts';
import { isHeld } from '../../src/fleet/state.ts';
import { makeFleet } from '../support/fleet.ts';

it('a profile is not running while its hold moves to the root', () => {
  const { root, folder } = makeFleet('lane-a');
  const home = folder('lane-a');
  const disk = nodeDisk();
  arm(disk, home, { holder: 'ci' });
  let moved = false;
  const moving: typeof disk = {
    ...disk,
    lstat(path) {
      // The root has been read, and the profile has not.
      if (path.startsWith(home) && !moved) {
        moved = true;
        arm(disk, root, { holder: 'ci' });
        lift(disk, home, { everyone: true });
      }
      return disk.lstat(path);
    },
  };
  const session = { ...openSession({ root }, Date.now()), disk: moving };
  const [state] = readFleet(session).profileStates;
  expect({ moved, isHeld: isHeld(state?.states ?? []) }).toEqual({ moved: true, isHeld: true });
});
