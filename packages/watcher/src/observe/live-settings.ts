/**
 * The settings files of a fleet as they are now: read again when they change, and where an edit is
 * broken, the last good ones stay in force and it is said where the mistake is.
 * What a setting means is for whoever acts on it.
 */
import { lstatSync, statSync } from 'node:fs';
import { join } from 'node:path';
import {
  describeProblem,
  FLEET_FILE,
  type FleetSettings,
  PROFILE_FILE,
  type ProfileSettings,
  readFleetSettings,
  readProfileSettings,
  type SettingsFile,
} from '@fleet-estop/settings';

/** A file that was refused, and what is in force instead. */
export interface RejectedFile {
  readonly path: string;
  /** `file:line:column: message …`, one for each mistake. */
  readonly problems: readonly string[];
  readonly inForce: 'last-good' | 'defaults';
}

export interface SettingsReport {
  /** A file was refused; said once for each set of mistakes. */
  rejected(file: RejectedFile): void;
  /** A file that had been refused is good again, or gone. */
  recovered(path: string): void;
  /** Other fleet settings are in force. */
  changed(settings: FleetSettings): void;
}

export interface LiveSettings {
  fleet(): FleetSettings;
  /** null: it has none. */
  profile(name: string): ProfileSettings | null;
  rejected(): readonly RejectedFile[];
  /** Reads again what changed since the last time; resolves when that is in force. Never rejects. */
  refresh(homes: readonly ProfileHome[]): Promise<void>;
}

export interface ProfileHome {
  readonly name: string;
  readonly home: string;
}

interface LiveFile<T> {
  /** Of the file. */
  readonly path: string;
  /** Of the folder it is in. */
  readonly dir: string;
  readonly read: () => Promise<SettingsFile<T>>;
  signature: string;
  inForce: T | null;
  rejected: RejectedFile | null;
}

/** Everything the file leaves out is the default of whoever acts on it. */
const NONE: FleetSettings = { version: 1 };

export function liveSettings(root: string, report: SettingsReport): LiveSettings {
  const fleet = liveFile(root, FLEET_FILE, () => readFleetSettings(root));
  const profiles = new Map<string, LiveFile<ProfileSettings>>();
  let wanted: readonly ProfileHome[] | null = null;
  let running: Promise<void> | null = null;

  let kept: readonly ProfileHome[] = [];
  const keepOnly = (homes: readonly ProfileHome[]) => {
    kept = homes;
    const names = new Set(homes.map(({ name }) => name));
    for (const name of profiles.keys()) if (!names.has(name)) profiles.delete(name);
  };

  const refreshAll = async (homes: readonly ProfileHome[]) => {
    const before = fleet.inForce;
    const fresh = changeIn(fleet);
    if (fresh !== null) await readAgain(fleet, fresh, report);
    if (fleet.inForce !== before) report.changed(fleet.inForce ?? NONE);
    if (homes !== kept) keepOnly(homes);
    for (const { name, home } of homes) {
      const known = profiles.get(name);
      const isKnown = known?.dir === home;
      const file = isKnown ? known : liveFile(home, PROFILE_FILE, () => readProfileSettings(home));
      if (!isKnown) profiles.set(name, file);
      // Of a thousand files none has changed, at nearly every sweep.
      const change = changeIn(file);
      if (change !== null) await readAgain(file, change, report);
    }
  };

  const run = async () => {
    while (wanted !== null) {
      const homes = wanted;
      wanted = null;
      await refreshAll(homes);
    }
    running = null;
  };

  return {
    fleet: () => fleet.inForce ?? NONE,
    profile: (name) => profiles.get(name)?.inForce ?? null,
    rejected: () =>
      [fleet, ...profiles.values()].flatMap(({ rejected }) =>
        rejected === null ? [] : [rejected],
      ),
    refresh(homes) {
      // One at a time, or an older reading could come in after a newer one.
      wanted = homes;
      running ??= run();
      return running;
    },
  };
}

const liveFile = <T>(
  dir: string,
  name: string,
  read: () => Promise<SettingsFile<T>>,
): LiveFile<T> => ({
  path: join(dir, name),
  dir,
  read,
  signature: 'absent',
  inForce: null,
  rejected: null,
});

/** null: it is what it was. */
function changeIn<T>(file: LiveFile<T>): Signature | null {
  const signature = signatureOf(file.path);
  return signature.text === file.signature ? null : signature;
}

/** `signature` was taken before: what is written while it is read gives another one the next time. */
async function readAgain<T>(
  file: LiveFile<T>,
  signature: Signature,
  report: SettingsReport,
): Promise<void> {
  const found = await readOr(file);
  file.signature = signature.young ? 'young' : signature.text;
  if (found.state === 'rejected') {
    const problems = found.problems.map((problem) =>
      typeof problem === 'string' ? problem : describeProblem(problem),
    );
    const inForce = file.inForce === null ? 'defaults' : 'last-good';
    const known = file.rejected?.problems.join('\n') === problems.join('\n');
    file.rejected = { path: file.path, problems, inForce };
    if (!known) report.rejected(file.rejected);
    return;
  }
  const settings = found.state === 'read' ? found.settings : null;
  if (JSON.stringify(settings) !== JSON.stringify(file.inForce)) file.inForce = settings;
  if (file.rejected !== null) report.recovered(file.path);
  file.rejected = null;
}

type Found<T> =
  | SettingsFile<T>
  | { readonly state: 'rejected'; readonly problems: readonly string[] };

/** Reading fails only where what reads YAML is not installed whole; holds are watched all the same. */
async function readOr<T>(file: LiveFile<T>): Promise<Found<T>> {
  try {
    return await file.read();
  } catch (error) {
    return { state: 'rejected', problems: [`${file.path}: ${String(error)}`] };
  }
}

interface Signature {
  readonly text: string;
  /** Written a moment ago: a second write within one tick of the file system's clock looks the same. */
  readonly young: boolean;
}

/** The coarsest clock of a file system in use. */
const COARSEST_TICK_MS = 2_000;

const QUIET = { throwIfNoEntry: false } as const;
const BIG = { bigint: true, throwIfNoEntry: false } as const;
const ABSENT: Signature = { text: 'absent', young: false };

/** Links are followed, since settings are delivered by swapping them. */
function signatureOf(path: string): Signature {
  try {
    // Most lanes have none, and times to the nanosecond cost twice as much.
    if (lstatSync(path, QUIET) === undefined) return ABSENT;
    const entry = lstatSync(path, BIG);
    if (entry === undefined) return ABSENT;
    const found = entry.isSymbolicLink() ? statSync(path, BIG) : entry;
    if (found === undefined) return { text: 'dangling', young: false };
    const { dev, ino, mode, size, mtimeNs, ctimeNs, ctimeMs } = found;
    const young = Math.abs(Date.now() - Number(ctimeMs)) < COARSEST_TICK_MS;
    return { text: `${dev} ${ino} ${mode} ${size} ${mtimeNs} ${ctimeNs}`, young };
  } catch (error) {
    return { text: (error as NodeJS.ErrnoException).code ?? 'unknown', young: false };
  }
}
