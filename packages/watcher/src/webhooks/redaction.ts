/**
 * Removes secrets from webhook settings before they are logged or published: logs, documents and
 * labels have more readers than `fleet.yaml`.
 */
import type { FleetSettings } from '@fleet-estop/settings';

/** A query often contains a key. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Somebody wrote the secret itself into `secret_file`. */
export const isSecret = (file: string): boolean => file.startsWith('whsec_');

export const redactedFile = (file: string): string => (isSecret(file) ? 'whsec_…' : file);

/** Settings that are safe to log. */
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
