/**
 * Answers in one call whether a program may start work for a home folder. It fails closed.
 * A program that asks often opens a gate instead (`@fleet-estop/gateway`).
 */
import type { Ruling } from '../decide/admit.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import type { DiskPort } from '../disk/port.ts';
import { FleetError } from '../errors.ts';
import { chainOfHome } from '../fleet/home-profile.ts';
import { ask, type Reply } from './ask.ts';

/** Options of `mayStart`. */
export interface StartOptions {
  /** The authenticated identity, which an allowlist may admit. Default: null, unknown. */
  readonly principal?: string | null;
  /**
   * The root of the fleet to which the home must belong. Default: the fleet in which the home lies.
   */
  readonly root?: string;
  readonly disk?: DiskPort;
}

/** What `mayStart` answers. */
export type StartAnswer =
  | { readonly admitted: true; readonly profile: string }
  | {
      readonly admitted: false;
      /** null: the profile is unknown. */
      readonly profile: string | null;
      /** One sentence for people. Texts from holds are only in `denials`. */
      readonly why: string;
      /** Every hold that denies, nearest first. Empty if something else refuses. */
      readonly denials: readonly Ruling[];
    };

/**
 * Decides whether work may start for the profile with this home folder. Also refuses if that is
 * unknown: there is no home, no folder, no such profile or no fleet, or nothing can be read [2].
 * Throws nothing.
 */
export function mayStart(home: string | undefined, options: StartOptions = {}): StartAnswer {
  try {
    const { principal = null, root, disk = nodeDisk() } = options;
    if (typeof home !== 'string' || home === '') return refused(null, 'no home folder is named');
    const { profile, scopes } = chainOfHome(home, root);
    const reply = ask({ disk, scopes, applicant: { principal, profile } });
    if (reply.admitted) return { admitted: true, profile };
    return { ...refused(profile, whyOf(profile, reply)), denials: reply.denials };
  } catch (error) {
    return refused(
      null,
      error instanceof FleetError ? sentenceOf(error) : `asking failed: ${error}`,
    );
  }
}

const refused = (profile: string | null, why: string) =>
  ({ admitted: false, profile, why, denials: [] }) as const;

const sentenceOf = ({ message, hint }: FleetError): string => `${message}; ${hint}`;

function whyOf(profile: string, { denials, unknown }: Reply): string {
  if (unknown !== null)
    return `what holds in \`${unknown}\` is not known: that folder is gone, is no fleet any more, or keeps changing`;
  const places = new Set(denials.map(({ scope }) => scope.dir));
  return `${profile} is paused: new work is held in ${[...places].map((dir) => `\`${dir}\``).join(' and ')}`;
}
