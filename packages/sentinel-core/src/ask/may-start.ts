/**
 * The whole question of a program that starts work for a home folder, in one call that fails closed.
 * A program that asks often opens a gate (`@fleet-estop/gateway`) instead.
 */
import type { Ruling } from '../decide/admit.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { DiskPort } from '../disk/port.ts';
import { FleetError } from '../errors.ts';
import { laneOf } from '../fleet/lane.ts';
import { ask, type Reply } from './ask.ts';

export interface StartOptions {
  /** Authenticated identity, whom an allowlist may let pass. Default: none is known. */
  readonly principal?: string | null;
  /** The fleet that is meant. Default: the one that the home lies in. */
  readonly root?: string;
  readonly disk?: DiskPort;
}

export type StartAnswer =
  | { readonly admitted: true; readonly profile: string }
  | {
      readonly admitted: false;
      /** null: which lane it is, is not known. */
      readonly profile: string | null;
      /** One sentence for people. What holds say of themselves is in `denials` alone. */
      readonly why: string;
      /** Every hold that refuses, nearest first; empty where something else does. */
      readonly denials: readonly Ruling[];
    };

/**
 * May work start in the lane whose home this is? Refused, too, where that is not known: there is no
 * home, no folder, no such lane, no fleet, or nothing can be read. Throws nothing [2].
 */
export function mayStart(home: string | undefined, options: StartOptions = {}): StartAnswer {
  try {
    const { principal = null, root, disk = nodeDisk() } = options;
    if (typeof home !== 'string' || home === '') return refused(null, 'no home folder is named');
    const { profile, scopes } = laneOf(home, root);
    const reply = ask({ disk, scopes, applicant: { principal, profile } });
    if (reply.admitted) return { admitted: true, profile };
    return { ...refused(profile, whyOf(profile, reply)), denials: reply.denials };
  } catch (error) {
    return refused(null, error instanceof FleetError ? told(error) : `asking failed: ${error}`);
  }
}

const refused = (profile: string | null, why: string) =>
  ({ admitted: false, profile, why, denials: [] }) as const;

const told = ({ message, hint }: FleetError): string => `${message}; ${hint}`;

function whyOf(profile: string, { denials, unknown }: Reply): string {
  if (unknown !== null)
    return `what holds in \`${unknown}\` is not known: that folder is gone, is no fleet any more, or keeps changing`;
  const places = new Set(denials.map(({ scope }) => scope.dir));
  return `${profile} is paused: new work is held in ${[...places].map((dir) => `\`${dir}\``).join(' and ')}`;
}
