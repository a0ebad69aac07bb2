/**
 * A sentinel that is a mount point, as containers make one: it cannot be renamed or removed, so it
 * stays held, and the answers say so at once.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXPIRED, STANDING, sentinelOf, writeSentinel } from '../../support/bodies.ts';
import { mountBind, mountsMissing } from '../../support/mounts.ts';
import { needs } from '../../support/needs.ts';
import { otherProcess } from '../../support/other-process.ts';
import { besideSentinel, scopeDir } from '../../support/scope-dir.ts';

needs(mountsMissing);
const bounded = otherProcess();

/** A scope whose sentinel is the mounted file `source`. */
function mounted(text: string): { dir: string; source: string } {
  const dir = scopeDir();
  const source = join(scopeDir(), 'source');
  writeFileSync(source, text);
  writeSentinel(dir, '');
  mountBind(source, sentinelOf(dir));
  return { dir, source };
}

describe('a mounted sentinel that stands', () => {
  const text = JSON.stringify(STANDING);

  test('is held by what the mounted file says', async () => {
    const { dir } = mounted(text);
    expect(await bounded.run('check', dir)).toMatchObject({ engaged: true, holds: [{ id: 'K' }] });
  });

  test.each(['me', 'keeper'])(
    'cannot be armed over by %s, who is told that it holds',
    async (holder) => {
      const { dir, source } = mounted(text);
      const before = bounded.cpuMs();
      expect(await bounded.run('arm', dir, { holder })).toMatchObject({
        armed: false,
        engaged: true,
        why: expect.stringMatching(/^(EBUSY|EXDEV)$/),
        holds: [{ id: 'K' }],
      });
      expect(bounded.cpuMs() - before).toBeLessThan(1_000);
      expect(readFileSync(source, 'utf8')).toBe(text);
      expect(besideSentinel(dir)).toEqual([]);
    },
  );

  test.each([{ holder: 'keeper' }, { id: 'K' }, { everyone: true }] as const)(
    'cannot be lifted by %o, and what remains is named',
    async (selection) => {
      const { dir, source } = mounted(text);
      const before = bounded.cpuMs();
      expect(await bounded.run('lift', dir, selection)).toMatchObject({
        lifted: false,
        why: 'EBUSY',
        remaining: [{ id: 'K' }],
      });
      expect(bounded.cpuMs() - before).toBeLessThan(1_000);
      expect(await bounded.run('check', dir)).toMatchObject({ engaged: true });
      expect(readFileSync(source, 'utf8')).toBe(text);
      expect(besideSentinel(dir)).toEqual([]);
    },
  );
});

describe('a mounted sentinel that has expired', () => {
  test('is not retired, and the answer says why', async () => {
    const { dir, source } = mounted(JSON.stringify(EXPIRED));
    expect(await bounded.run('retire', dir)).toEqual({ retired: false, why: 'EBUSY' });
    expect(readFileSync(source, 'utf8')).toBe(JSON.stringify(EXPIRED));
    expect(besideSentinel(dir)).toEqual([]);
  });

  test('is held, overdue: a gateway that removes it to be free could not', async () => {
    const { dir } = mounted(JSON.stringify(EXPIRED));
    expect(await bounded.run('check', dir)).toMatchObject({ engaged: true, overdue: true });
  });

  test('that is armed over holds, and the answer says how', async () => {
    const { dir } = mounted(JSON.stringify(EXPIRED));
    const armed = await bounded.run('arm', dir, { holder: 'me' });
    const held = (await bounded.run('check', dir)).engaged;
    expect(armed.armed || armed.engaged).toBe(held);
    expect(held).toBe(true);
    expect(besideSentinel(dir)).toEqual([]);
  });
});

test('a device that never ends, mounted there, is held and never read', async () => {
  const dir = scopeDir();
  writeSentinel(dir, '');
  mountBind('/dev/zero', sentinelOf(dir));
  expect(await bounded.run('check', dir)).toMatchObject({ engaged: true, unreadable: 'EINVAL' });
  expect(await bounded.run('arm', dir, {})).toMatchObject({ armed: false, engaged: true });
  expect(await bounded.run('lift', dir, { everyone: true })).toMatchObject({ why: 'EBUSY' });
  expect(bounded.growthKb()).toBeLessThan(64 * 1024);
});

test('a scope that is itself a mount point is a scope like any other', async () => {
  const [dir, source] = [scopeDir(), scopeDir()];
  mountBind(source, dir);
  expect(await bounded.run('arm', dir, { holder: 'me' })).toMatchObject({ armed: true });
  expect(await bounded.run('check', source)).toMatchObject({ engaged: true });
  expect(await bounded.run('lift', dir, { holder: 'me' })).toMatchObject({ lifted: true });
  expect(besideSentinel(source)).toEqual([]);
});
