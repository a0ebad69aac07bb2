/**
 * Examines what restarts left that died half-way, and settles it for `--fix`.
 * What is done is decided in the ledger, as for the watcher.
 */
import {
  isUndoable,
  readRestart,
  restartPath,
  type ServingInstance,
  settleRestart,
} from '@fleet-estop/ledger';
import type { DiskPort, Profile } from '@fleet-estop/sentinel-core';
import { actorOf } from '../../fleet/actor.ts';
import { visible } from '../../text/visible.ts';
import { whyText } from '../../text/why.ts';
import { askState } from '../../watcher-client/ask-state.ts';
import type { WatcherState } from '../../watcher-client/state.ts';
import type { ExaminedFleet, Finding } from './finding.ts';

const ASK_MS = 3_000;

export function examineRestarts(fleet: ExaminedFleet): Finding[] {
  const findings = profilesOf(fleet).flatMap(findingIn);
  if (findings.length > 0) return findings;
  return [{ level: 'ok', check: 'restarts', what: 'no restart has left anything half-done' }];
}

function findingIn({ name, home }: Profile): Finding[] {
  const read = readRestart(home);
  const about = { check: 'restarts', where: restartPath(home) } as const;
  if (read.state === 'none') return [];
  if (read.state === 'unreadable') {
    const what = `the record of a restart of ${name} cannot be read (${read.why}), and keeps others from beginning`;
    const todo = 'look at it, and move it elsewhere';
    return [{ ...about, level: 'problem', what, todo, unexamined: true }];
  }
  const { record, fate } = read;
  const title = `the restart ${record.id} of ${name} (${record.step} since ${visible(record.since)}, process ${record.mark.pid})`;
  if (fate === 'alive') return [{ ...about, level: 'note', what: `${title} is under way` }];
  if (fate === 'unknown') {
    const what = `${title} may be under way: whether its process lives cannot be seen from here (${visible(record.mark.place.host)})`;
    const todo =
      'run this where that process is; if it is certainly gone, remove the record and lift its hold';
    return [{ ...about, level: 'warning', what, todo }];
  }
  return [
    {
      ...about,
      level: 'problem',
      what: `${title} died half-way; its hold is that of \`${visible(record.holder)}\``,
      todo: isUndoable(record)
        ? 'nothing was restarted: fleet doctor --fix lifts its hold'
        : 'see whether a new gateway is there: fleet doctor --fix lifts its hold if one has acknowledged, and else keeps it',
    },
  ];
}

/** Lines of what was done, and of what could not be. */
export async function settleRestarts(
  fleet: ExaminedFleet,
  disk: DiskPort,
): Promise<{
  readonly repaired: readonly { readonly what: string; readonly where: string }[];
  readonly notices: readonly string[];
}> {
  const repaired: { what: string; where: string }[] = [];
  const notices: string[] = [];
  const { root } = fleet.root;
  const owing = profilesOf(fleet).filter(({ home }) => readRestart(home).state === 'read');
  if (owing.length === 0) return { repaired, notices };
  const asked = await askState(root, { timeoutMs: ASK_MS });
  const state = asked.reached ? asked.state : null;
  for (const { name, home } of owing) {
    const serving = () => servingOf(state, name);
    const where = restartPath(home);
    const settled = settleRestart(disk, { root, profile: name, home }, serving, actorOf('doctor'));
    switch (settled.kind) {
      case 'undone':
        repaired.push({ what: `undid the restart of ${name}, which had restarted nothing`, where });
        break;
      case 'finished':
        repaired.push({ what: `finished the restart of ${name}: a new gateway is there`, where });
        break;
      case 'lapsed':
        repaired.push({
          what: `removed the record of a restart of ${name} whose hold is gone`,
          where,
        });
        break;
      case 'held': {
        const why =
          state === null
            ? ' (the watcher cannot be asked)'
            : state.starting
              ? ' (the watcher has just started, and gateways may still be reconnecting)'
              : '';
        notices.push(
          `NOT repaired: ${name} stays held: no new gateway has acknowledged since its restart died${why}`,
        );
        break;
      }
      case 'failed':
        notices.push(`NOT repaired: ${where}: ${whyText(settled.why)}`);
        break;
    }
  }
  return { repaired, notices };
}

/** null: the watcher cannot be asked, or gateways of an earlier one may still be connecting. */
function servingOf(state: WatcherState | null, profile: string): ServingInstance[] | null {
  if (state === null || state.starting) return null;
  return state.gateways.flatMap(({ instance, link, profiles }) =>
    profiles
      .filter(({ name }) => name === profile)
      .map(({ ackStatus }) => ({ instance, link, hasAcknowledged: ackStatus === 'acknowledged' })),
  );
}

/** The root's own profile is never restarted. */
const profilesOf = ({ root, listing }: ExaminedFleet): readonly Profile[] =>
  listing.profiles.filter(({ home }) => home !== root.root);
