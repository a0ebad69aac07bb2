/**
 * By which means the gateway of a profile is restarted, and whether they count: whoever restarts runs what
 * stands in `profile.yaml` with their own rights, so nobody else may be able to write it.
 * Running the means is `run-means.ts`.
 */
import { lstatSync, realpathSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { codeOrText, FleetError, type Profile } from '@fleet-estop/sentinel-core';
import type { RestartSettings } from '@fleet-estop/settings';
import { readProfiles } from '../../fleet/settings.ts';

/** What is started, without a shell. */
export interface Means {
  readonly words: readonly [string, ...string[]];
  /** The folder in which it starts; null: that of this process. */
  readonly cwd: string | null;
}

/** Throws a FleetError: the profile has no means, or somebody else may write them. */
export async function meansOf(profile: Profile): Promise<Means | null> {
  const before = trustedAt(profile);
  const [read] = await readProfiles([profile]);
  const file = read?.file;
  if (file === undefined || file.state === 'absent') return null;
  if (file.state === 'rejected') {
    throw new FleetError(
      'VALUE_INVALID',
      `the \`profile.yaml\` of ${profile.name} cannot be used: ${file.lines.join('; ')}`,
      { hint: 'repair it: it names the means of the restart' },
    );
  }
  const restart = file.settings.gateway?.restart;
  if (restart === undefined) return null;
  const untrusted = before ?? trustedAt(profile);
  if (untrusted !== null) throw untrusted;
  return meansIn(restart, profile);
}

function meansIn(restart: RestartSettings, { home }: Profile): Means {
  const { systemd, user, command, container, engine = 'docker' } = restart;
  if (systemd !== undefined) {
    const manager = user === true ? ['--user'] : [];
    return { words: ['systemctl', ...manager, 'restart', '--', systemd], cwd: null };
  }
  if (container !== undefined) return { words: [engine, 'restart', container], cwd: null };
  const [program = '', ...words] = command ?? [];
  return { words: [program, ...words], cwd: home };
}

/**
 * null: only this user or root may write the file and the folder. Asked before and after the file is read:
 * in a folder that only they may write, nobody else can have replaced it in between.
 */
function trustedAt({ name, home }: Profile): FleetError | null {
  let folder: string;
  try {
    folder = realpathSync(home);
  } catch (error) {
    return untrusted(name, home, `it cannot be looked at (${codeOrText(error)})`, null);
  }
  return judge(name, folder, 'isDirectory') ?? judge(name, join(folder, 'profile.yaml'), 'isFile');
}

function judge(name: string, path: string, kind: 'isDirectory' | 'isFile'): FleetError | null {
  let stats: Stats | undefined;
  try {
    stats = lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    return untrusted(name, path, `it cannot be looked at (${codeOrText(error)})`, null);
  }
  // Without a file there are no means.
  if (stats === undefined) return null;
  if (!stats[kind]()) return untrusted(name, path, 'it is a link, or no regular file', stats.uid);
  const us = process.geteuid?.() ?? 0;
  if (stats.uid !== us && stats.uid !== 0) {
    return untrusted(name, path, `it belongs to ${userText(stats.uid)}`, stats.uid);
  }
  if ((stats.mode & 0o022) !== 0) {
    const mode = (stats.mode & 0o7777).toString(8).padStart(4, '0');
    return untrusted(name, path, `others than its owner may write it (mode ${mode})`, stats.uid);
  }
  return null;
}

const userText = (uid: number): string => (uid === 0 ? 'root' : `the user with id ${uid}`);

function untrusted(name: string, path: string, why: string, uid: number | null): FleetError {
  const us = process.geteuid?.() ?? 0;
  const owner = uid === null ? '' : `; its owner is ${userText(uid)}`;
  const hint =
    uid !== null && uid !== us && uid !== 0
      ? `run it as that user (sudo -u '#${uid}' fleet restart -p ${name})`
      : 'let only its owner write it: chmod go-w';
  return new FleetError(
    'VALUE_INVALID',
    `the means to restart ${name} do not count, since they would run with your rights: \`${path}\`: ${why}${owner}`,
    { hint },
  );
}
