/**
 * The settings of a fleet, kept current: files are reread when they change. If an edit is broken,
 * the last good settings stay in force and the mistake is reported. A missing, empty or broken file
 * may be in the middle of a save, so it is accepted only after it has stayed that way for a while.
 * One file is `live-file.ts`; the meaning of a setting belongs to the code that uses it.
 */
import {
  FLEET_FILE,
  type FleetSettings,
  PROFILE_FILE,
  type ProfileSettings,
  readFleetSettings,
  readProfileSettings,
} from '@fleet-estop/settings';
import {
  changeIn,
  type FileReport,
  type LiveFile,
  liveFile,
  type RejectedFile,
  reread,
  type SettleTime,
} from './live-file.ts';

export interface SettingsReport extends FileReport {
  /** Other fleet settings are in force. */
  changed(settings: FleetSettings): void;
}

export interface LiveSettings {
  fleet(): FleetSettings;
  /** null: the profile has none. */
  profile(name: string): ProfileSettings | null;
  rejected(): readonly RejectedFile[];
  /**
   * Rereads what changed; resolves when the good settings are in force. Only the first call waits
   * for broken files; later they are checked again on their own and reported once accepted. Never
   * rejects.
   */
  refresh(homes: readonly ProfileHome[]): Promise<void>;
  /** Finishes the read in progress; nothing is checked again. */
  close(): void;
}

export interface ProfileHome {
  readonly name: string;
  readonly home: string;
}

// Editors and deploys move or empty the old file some milliseconds before the new one is complete;
// on a busy machine tens of milliseconds. A deliberate removal can wait half a second.
const SETTLE_TIME: SettleTime = { unchangedMs: 500, maxMs: 5_000 };
/** At the start there are no settings to lose, and the operator wants to see mistakes at once. */
const AT_START: SettleTime = { unchangedMs: 0, maxMs: 0 };

/** Every default belongs to the code that uses the setting. */
const DEFAULT_SETTINGS: FleetSettings = { version: 1 };

export function liveSettings(
  root: string,
  report: SettingsReport,
  settleTime: SettleTime = SETTLE_TIME,
): LiveSettings {
  const fleet = liveFile(root, FLEET_FILE, () => readFleetSettings(root));
  const profiles = new Map<string, LiveFile<ProfileSettings>>();
  let wanted: readonly ProfileHome[] | null = null;
  let running: Promise<void> | null = null;
  let currentSettleTime = AT_START;
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  let currentHomes: readonly ProfileHome[] = [];
  const forgetOthers = (homes: readonly ProfileHome[]) => {
    currentHomes = homes;
    const names = new Set(homes.map(({ name }) => name));
    for (const name of profiles.keys()) if (!names.has(name)) profiles.delete(name);
  };

  const refreshAll = async (homes: readonly ProfileHome[]) => {
    const before = fleet.inForce;
    const fresh = changeIn(fleet);
    if (fresh !== null) await reread(fleet, fresh, currentSettleTime, report);
    if (fleet.inForce !== before) report.changed(fleet.inForce ?? DEFAULT_SETTINGS);
    if (homes !== currentHomes) forgetOthers(homes);
    for (const { name, home } of homes) {
      const known = profiles.get(name);
      const isKnown = known?.dir === home;
      const file = isKnown ? known : liveFile(home, PROFILE_FILE, () => readProfileSettings(home));
      if (!isKnown) profiles.set(name, file);
      // At nearly every sweep, none of a thousand files has changed.
      const change = changeIn(file);
      if (change !== null) await reread(file, change, currentSettleTime, report);
    }
    currentSettleTime = settleTime;
  };

  const run = async () => {
    while (wanted !== null) {
      const homes = wanted;
      wanted = null;
      await refreshAll(homes);
    }
    running = null;
    lookAgainWhenDue();
  };

  const refresh = (homes: readonly ProfileHome[]): Promise<void> => {
    if (isClosed) return Promise.resolve();
    clearTimeout(again);
    // One run at a time, or an older reading could overwrite a newer one.
    wanted = homes;
    running ??= run();
    return running;
  };

  const lookAgainWhenDue = () => {
    let dueMs = Number.POSITIVE_INFINITY;
    for (const { pending: doubt } of [fleet, ...profiles.values()]) {
      if (doubt !== null) dueMs = Math.min(dueMs, doubt.dueMs);
    }
    if (isClosed || dueMs === Number.POSITIVE_INFINITY) return;
    again = setTimeout(
      () => void refresh(currentHomes),
      Math.max(1, dueMs - performance.now() + 1),
    );
  };

  return {
    fleet: () => fleet.inForce ?? DEFAULT_SETTINGS,
    profile: (name) => profiles.get(name)?.inForce ?? null,
    rejected: () =>
      [fleet, ...profiles.values()].flatMap(({ rejected }) =>
        rejected === null ? [] : [rejected],
      ),
    refresh,
    close() {
      isClosed = true;
      wanted = null;
      clearTimeout(again);
    },
  };
}
