/**
 * The settings files of a fleet as they are now: read again when they change, and where an edit is
 * broken, the last good ones stay in force and it is said where the mistake is. A file that is gone,
 * empty or broken may be one that is being saved: it is believed once it has stood still.
 * One such file is `live-file.ts`; what a setting means is for whoever acts on it.
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
  /** null: it has none. */
  profile(name: string): ProfileSettings | null;
  rejected(): readonly RejectedFile[];
  /**
   * Reads again what changed since the last time; resolves when what is good is in force. What is
   * not is waited for no longer than by the first call: it is looked at again by itself, and said to
   * the report once it is believed. Never rejects.
   */
  refresh(homes: readonly ProfileHome[]): Promise<void>;
  /** What is being read is read to its end; nothing is looked at again. */
  close(): void;
}

export interface ProfileHome {
  readonly name: string;
  readonly home: string;
}

// Editors and deploys move the old file away, or empty it, some ms before the new one is whole; a
// busy machine makes tens of that. Nobody who took a file away on purpose minds half a second.
const SETTLE_TIME: SettleTime = { unchangedMs: 500, maxMs: 5_000 };
/** There is nothing yet that could be lost, and who starts us wants to know. */
const AT_START: SettleTime = { unchangedMs: 0, maxMs: 0 };

/** Everything the file leaves out is the default of whoever acts on it. */
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
      // Of a thousand files none has changed, at nearly every sweep.
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
    // One at a time, or an older reading could come in after a newer one.
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
