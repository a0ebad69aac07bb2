/**
 * The mark that a gateway leaves in the environment of its children: "you run inside this gateway".
 * A command that would end the gateway refuses there, since it would end itself.
 */

/** Name of the variable: entries of `<pid>:<start>:<instance>`, separated by spaces. */
export const INSIDE_GATEWAY = 'FLEET_INSIDE_GATEWAY';

export interface InsideGateway {
  readonly pid: number;
  /** As `start` in a process mark; '' if unknown. Tells a reused process id from this process. */
  readonly start: string;
  readonly instance: string;
}

/** Entries to read. A process with more gates than this has listed enough of them. */
export const MAX_INSIDE = 64;
const MAX_INSTANCE = 256;

/** The instance is percent-encoded, so an entry contains no space. */
export const insideEntry = ({ pid, start, instance }: InsideGateway): string =>
  `${pid}:${start}:${encodeURIComponent(instance.slice(0, MAX_INSTANCE).toWellFormed())}`;

/** Parses the variable. Anybody can set it: an entry that is none is left out. */
export function parseInside(text: string | undefined): InsideGateway[] {
  return (text ?? '').split(' ', MAX_INSIDE).flatMap((entry) => {
    const [, pid = '', start = '', encoded = ''] =
      /^([1-9]\d{0,9}):(\d{0,15}):([^ :]{1,3072})$/.exec(entry) ?? [];
    const instance = decoded(encoded);
    return instance === '' ? [] : [{ pid: Number(pid), start, instance }];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
