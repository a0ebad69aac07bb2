/**
 * Parses what a watcher reports about itself and its webhooks, as far as `fleet doctor` needs it. The answer
 * comes from another process, so values are checked and cut here, and escaped where they are shown.
 * Profiles and gateways are parsed by `watcher-client/state.ts`.
 */
import { counted } from '../../text/fields.ts';

export interface ReportedReadiness {
  readonly ready: boolean;
  /** Why it is not ready. */
  readonly unreadyReasons: readonly string[];
  /** Settings files that it rejected, and which settings it uses instead. */
  readonly rejected: readonly { readonly path: string; readonly inForce: string }[];
  /** How it observes the disk, as text; null: older watchers do not report it. */
  readonly observing: string | null;
  readonly sweepMs: number | null;
  /** How many folders send no notifications. */
  readonly unwatchedCount: number;
  readonly unwatchedFolders: readonly { readonly dir: string; readonly why: string }[];
  readonly journalUnreadable: string | null;
  readonly portRefused: string | null;
}

export interface ReportedWebhook {
  readonly hook: string;
  readonly pending: number;
  /** Events that were given up or dropped, and that the receiver does not know about yet. */
  readonly missed: number;
  readonly lastError: string | null;
  readonly lastErrorAt: string | null;
  readonly lastSuccessAt: string | null;
  readonly secretRefused: string | null;
}

/** As many webhooks as `fleet.yaml` may have. */
const MAX_WEBHOOKS = 32;
/** Characters of one text. */
const MAX_TEXT = 300;

/** Our own words, so that no unknown text is shown. null: not reported. */
function observingIn({ notices, polled }: Readonly<Record<string, unknown>>): string | null {
  const folders = count(polled);
  if (folders === null) return null;
  const polling = folders === 0 ? [] : [`polling of ${counted(folders, 'folder')}`];
  const noticed = notices === 'native' || notices === 'chokidar' ? [`${notices} notices`] : [];
  return [...noticed, ...polling].join(' and ');
}

export function readinessIn(answer: string): ReportedReadiness | null {
  const report = parsed(answer);
  const { schema, ready } = report;
  if (schema !== 'fleet/ready/v1' || typeof ready !== 'boolean') return null;
  const health = object(report['health']);
  return {
    ready,
    unreadyReasons: list(report['blind']).map(text),
    rejected: list(report['rejected']).map((one) => {
      const { path, in_force } = object(one);
      return { path: text(path), inForce: text(in_force) };
    }),
    observing: observingIn(object(health['observing'])),
    sweepMs: count(health['sweep_ms']),
    unwatchedCount: count(health['deaf']) ?? 0,
    unwatchedFolders: list(health['deaf_some']).map((one) => {
      const { dir, why } = object(one);
      return { dir: text(dir), why: text(why) };
    }),
    journalUnreadable: textOrNull(health['journal_unreadable']),
    portRefused: textOrNull(object(health['http'])['port_refused']),
  };
}

/** From an answer of `/v1/state`; empty if the watcher reports no webhooks. */
export const webhooksIn = (answer: string): ReportedWebhook[] =>
  list(parsed(answer)['webhooks'])
    .slice(0, MAX_WEBHOOKS)
    .map((one) => {
      const report = object(one);
      return {
        hook: text(report['hook']),
        pending: count(report['pending']) ?? 0,
        missed: count(report['missed']) ?? 0,
        lastError: textOrNull(report['last_error']),
        lastErrorAt: textOrNull(report['last_error_at']),
        lastSuccessAt: textOrNull(report['last_success_at']),
        secretRefused: textOrNull(report['secret_refused']),
      };
    });

type JsonObject = { readonly [key: string]: unknown };

function parsed(answer: string): JsonObject {
  try {
    return object(JSON.parse(answer));
  } catch {
    return {};
  }
}

const object = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null ? (value as JsonObject) : {};

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const text = (value: unknown): string => textOrNull(value) ?? 'something that is not understood';

function textOrNull(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const characters = [...value.slice(0, 2 * MAX_TEXT)];
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT - 3).join('')}...` : value;
}

const count = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
