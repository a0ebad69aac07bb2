/**
 * What may be said of a webhook's settings: logs, documents and labels are read by more people than
 * `fleet.yaml`.
 */
import type { FleetSettings } from '@fleet-estop/settings';

/** A query often carries a key. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Somebody took `secret_file` for the place of the secret itself. */
export const isSecretItself = (file: string): boolean => file.startsWith('whsec_');

export const sayableFile = (file: string): string => (isSecretItself(file) ? 'whsec_…' : file);

/** Settings as a log may show them. */
export function sayableSettings(settings: FleetSettings): FleetSettings {
  const { watcher } = settings;
  if (watcher?.webhooks === undefined) return settings;
  const webhooks = watcher.webhooks.map(({ url, secret_file, ...rest }) => ({
    ...rest,
    url: withoutQuery(url),
    secret_file: sayableFile(secret_file),
  }));
  return { ...settings, watcher: { ...watcher, webhooks } };
}
