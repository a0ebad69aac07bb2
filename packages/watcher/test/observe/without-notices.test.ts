/**
 * A mount that is changed from elsewhere: the kernel sends no notices, and changes are still seen.
 */
import { renameSync, statfsSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { silentFileSystem } from '../../src/observe/choose.ts';
import { mountFuse, needsFuse } from '../support/fuse.ts';
import { laneFree, makeRoot, NEVER_MS, reasonIn, watched } from '../support/watched.ts';

describe('a profile that is a FUSE mount', () => {
  needsFuse();

  const mounted = async () => {
    const [root, elsewhere] = [makeRoot('lane-a', 'lane-b'), makeRoot()];
    await mountFuse(elsewhere, join(root, 'profiles/lane-a'));
    let writes = 0;
    const hold = (reason: string) => {
      const draft = join(elsewhere, `draft-${writes++}`);
      writeFileSync(draft, JSON.stringify({ reason }));
      renameSync(draft, join(elsewhere, 'ESTOP'));
    };
    return { root, hold, lift: () => unlinkSync(join(elsewhere, 'ESTOP')) };
  };

  test('is known by the number of its file system', async () => {
    const { root } = await mounted();
    const home = join(root, 'profiles/lane-a');
    expect(statfsSync(home).type).toBe(0x65735546);
    expect(silentFileSystem(home)).toBe('fuse or virtiofs');
  });

  test('is polled in mode auto, beside profiles that are not, and nobody is called deaf', async () => {
    const { root, hold, lift } = await mounted();
    const { until, watch } = watched(root, { mode: 'auto', sweepMs: NEVER_MS });
    for (const reason of ['one', 'two', 'three']) {
      hold(reason);
      await until((fleet) => reasonIn(fleet, 'lane-a') === reason);
      lift();
      await until(laneFree('lane-a'));
    }
    expect([...watch.health().deaf]).toEqual([]);
  });

  test('is seen by the sweep where notices were insisted on, and that none came is counted', async () => {
    const { root, hold, lift } = await mounted();
    const { until, untilLogged } = watched(root, { mode: 'native', sweepMs: 50 });
    hold('late');
    await until((fleet) => reasonIn(fleet, 'lane-a') === 'late');
    lift();
    await until(laneFree('lane-a'));
    const said = await untilLogged('that no notice announced');
    expect(said.fields).toMatchObject({ some: [join(root, 'profiles/lane-a')] });
  });
});
