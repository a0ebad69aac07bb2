/**
 * Examines a watcher that answers, by its own reports: what it cannot see, its webhooks, and missing gateways.
 * Whether a watcher should run, and whether it answers, is `watcher.ts`.
 */
import { counted } from '../../text/fields.ts';
import { instantOf, span } from '../../text/time.ts';
import { isServed, servedBy } from '../../watcher-client/account.ts';
import { gatewayName, listed } from '../../watcher-client/gateways-text.ts';
import type { WatcherState } from '../../watcher-client/state.ts';
import { type Finding, firstFew } from './finding.ts';
import type { ReportedReadiness, ReportedWebhook } from './watcher-report.ts';

/** Characters: the longest name of a profile. */
const MAX_NAME = 64;

const warning = (what: string, todo: string, where?: string): Finding => ({
  level: 'warning',
  check: 'watcher',
  what,
  ...(where === undefined ? {} : { where }),
  todo,
});

/** The finding for all the others that are not listed. */
const more =
  (level: 'warning' | 'problem', what: string) =>
  ({ length }: { readonly length: number }): Finding => ({
    level,
    check: 'watcher',
    what: `and ${length} more ${what}`,
  });

export function readinessFindings(report: ReportedReadiness): Finding[] {
  const {
    ready,
    unreadyReasons,
    rejected,
    unwatchedCount,
    unwatchedFolders,
    sweepMs,
    journalUnreadable,
    portRefused,
  } = report;
  const findings: Finding[] = [];
  if (!ready) {
    const why =
      unreadyReasons.length === 0 ? 'it gives no reason' : unreadyReasons.slice(0, 8).join('; ');
    findings.push({
      level: 'problem',
      check: 'watcher',
      what: `the watcher runs but is not ready, so its answers may be old: ${why}`,
      todo: 'look at its log; holds on disk apply without it',
    });
  }
  if (unwatchedCount > 0) {
    const sweep = sweepMs === null ? '' : `, every ${span(sweepMs)}`;
    const what = `no notifications come from ${counted(unwatchedCount, 'folder')}, so changes there are seen only by the sweep${sweep}`;
    const [first] = unwatchedFolders;
    const why = first === undefined ? '' : `: ${first.why}`;
    const todo = 'repair what it names, or set `observe: poll` in fleet.yaml';
    findings.push(warning(`${what}${why}`, todo, first?.dir));
  }
  findings.push(
    ...firstFew(
      rejected,
      ({ path, inForce }) => {
        const instead = inForce === 'last-good' ? 'the last valid ones' : 'the defaults';
        const what = `the watcher refuses these settings, and uses ${instead}`;
        return warning(what, 'repair the file: it is read again at once', path);
      },
      more('warning', 'settings files are refused'),
    ),
  );
  if (journalUnreadable !== null) {
    const what = `the watcher cannot read the journal, and so does not report what was done: ${journalUnreadable}`;
    findings.push(warning(what, 'make it readable for the user of the watcher'));
  }
  if (portRefused !== null) {
    const what = `the watcher does not listen on its port (${portRefused}), only on its socket`;
    findings.push(warning(what, 'free the port, or set `watcher.http.port` in fleet.yaml'));
  }
  return findings;
}

export const webhookFindings = (
  webhooks: readonly ReportedWebhook[],
  fleetFile: string,
): readonly Finding[] =>
  webhooks
    .filter((hook) => hook.secretRefused !== null || hook.missed > 0 || isFailing(hook))
    .map((hook) => ({ check: 'watcher', where: fleetFile, ...describeWebhook(hook) }));

/** An error before the last success does not count. */
function isFailing({ lastError, lastErrorAt, lastSuccessAt }: ReportedWebhook): boolean {
  if (lastError === null) return false;
  const success = instantOf(lastSuccessAt);
  return success === null || (instantOf(lastErrorAt) ?? Number.POSITIVE_INFINITY) > success;
}

function describeWebhook(hook: ReportedWebhook): Pick<Finding, 'level' | 'what' | 'todo'> {
  const { hook: name, pending, missed, lastError, secretRefused } = hook;
  if (secretRefused !== null) {
    const what = `nothing is sent to the webhook ${name}, since its secret cannot be used: ${secretRefused}`;
    return { level: 'problem', what, todo: 'repair its `secret_file`: it is read again at once' };
  }
  const why = lastError === null ? '' : `, the last error: ${lastError}`;
  const todo = 'look at its receiver, and at `url` and `secret_file`';
  if (missed > 0) {
    const what = `the webhook ${name} has lost ${counted(missed, 'event')}, and ${pending} wait${why}`;
    return { level: 'problem', what, todo };
  }
  return {
    level: 'warning',
    what: `the webhook ${name} fails: ${pending} wait${why}`,
    todo,
  };
}

/** `expecting`: profiles for which a gateway is expected, with the settings file that says so. */
export function gatewayFindings(
  state: WatcherState,
  expecting: ReadonlyMap<string, string>,
): Finding[] {
  const served = servedBy(state);
  const stale = state.gateways.filter(({ link }) => link === 'stale');
  const absent = [...expecting].filter(([name]) => !isServed(served, name));
  return [
    ...firstFew(
      absent,
      ([name, file]): Finding => {
        const last = served.get(name)?.at(-1);
        const gone = last === undefined ? '' : `; ${gatewayName(last)} is gone`;
        return {
          level: 'problem',
          check: 'watcher',
          what: `a gateway is expected in ${name}, and none is connected${gone}`,
          where: file,
          todo: 'start it, or set `gateway.expected` to false',
        };
      },
      more('problem', 'profiles lack an expected gateway'),
    ),
    ...firstFew(
      stale,
      (gateway) => {
        const names = listed(gateway.profiles.map(({ name }) => name.slice(0, MAX_NAME)));
        const what = `${gatewayName(gateway)} is connected but has been silent for a while: its last report on ${names} is old`;
        return warning(what, 'look whether that process hangs, is stopped or is overloaded');
      },
      more('warning', 'gateways are silent'),
    ),
  ];
}
