/** What follows from the file system that a fleet lies on, and from how its watcher is to observe. */
import { expect, it } from 'vitest';
import { judgeFileSystem } from '../../src/verbs/doctor/file-systems.ts';

const nfs = { magic: 0x6969, known: { name: 'NFS', kind: 'network' } } as const;
const overlay = { magic: 0x794c7630, known: { name: 'overlay', kind: 'union' } } as const;

it.each(['auto', 'poll'] as const)(
  'on a network file system nothing is advised where `observe: %s` polls it already',
  (observe) => {
    const found = judgeFileSystem('/srv/fleet', nfs, observe);
    expect(found).toMatchObject({ level: 'note', what: expect.stringContaining(observe) });
    expect(found.todo).toBeUndefined();
  },
);

it.each(['native', 'chokidar'] as const)(
  'with `observe: %s` on a network file system, the advice is `auto`',
  (observe) => {
    expect(judgeFileSystem('/srv/fleet', nfs, observe)).toMatchObject({
      level: 'warning',
      todo: expect.stringContaining('`observe: auto`'),
    });
  },
);

it('a layer of a container is a warning with any setting, and polling is no remedy for it', () => {
  for (const observe of ['auto', 'poll', 'native'] as const) {
    const { level, todo } = judgeFileSystem('/srv/fleet', overlay, observe);
    expect(level).toBe('warning');
    expect(todo).toContain('mount a volume');
    expect(todo).not.toContain('poll');
  }
});
