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
export const isSecret = (file: string): boolean => file.startsWith('whsec_');

export const redactedFile = (file: string): string => (isSecret(file) ? 'whsec_…' : file);

/** Settings as a log may show them. */
export function redactedSettings(settings: FleetSettings): FleetSettings {
  const { watcher } = settings;
  if (watcher?.webhooks === undefined) return settings;
  const webhooks = watcher.webhooks.map(({ url, secret_file, ...rest }) => ({
    ...rest,
    url: withoutQuery(url),
    secret_file: redactedFile(secret_file),
  }));
  return { ...settings, watcher: { ...watcher, webhooks } };
}
