/**
 * The table of verbs: what each is for, what its failures mean, and where its code is loaded from.
 * The command of a verb is made in `program.ts`.
 */
import { EXIT, type ExitCode } from './cli/exit-codes.ts';
import { nearest } from './cli/nearest.ts';
import { usageError } from './cli/values.ts';
import type { Verb } from './cli/verb.ts';

interface Entry {
  readonly summary: string;
  /** How an error message begins when nothing was done. */
  readonly undone: string;
  /** The exit status after an unexpected error. */
  readonly failure: ExitCode;
  /** The text on stdout is the answer, so failing to write it is a failure. */
  readonly answersInText: boolean;
  /**
   * The exit status when `-l` met profiles whose labels cannot be read and the verb succeeded for the others.
   * undefined: the verb does nothing in that case.
   */
  readonly unreadLabels?: ExitCode;
  /** The verb runs the words after `--` as a command: `always` requires one, `perhaps` does not. */
  readonly wraps?: 'always' | 'perhaps';
  /** Loads the verb on demand, so that a start does not pay for the code of other verbs. */
  readonly load: () => Promise<Verb>;
}

export const VERBS: Readonly<Record<string, Entry>> = {
  pause: {
    summary: 'hold new work in the whole fleet or in profiles',
    undone: 'NOT paused',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unreadLabels: EXIT.partial,
    load: async () => (await import('./verbs/pause/command.ts')).pause,
  },
  drain: {
    summary: 'hold new work, and wait until nothing is in hand',
    undone: 'NOT drained',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unreadLabels: EXIT.partial,
    load: async () => (await import('./verbs/drain/command.ts')).drain,
  },
  resume: {
    summary: 'lift your own hold, and show what still holds',
    undone: 'NOT resumed',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unreadLabels: EXIT.partial,
    load: async () => (await import('./verbs/resume/command.ts')).resume,
  },
  extend: {
    summary: 'move the deadline of your own hold',
    undone: 'NOT extended',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unreadLabels: EXIT.partial,
    load: async () => (await import('./verbs/extend/command.ts')).extend,
  },
  restart: {
    summary: 'restart the gateways of profiles, without losing work or hurting anybody',
    undone: 'NOT restarted',
    failure: EXIT.notAsAsked,
    answersInText: false,
    unreadLabels: EXIT.partial,
    load: async () => (await import('./verbs/restart/command.ts')).restart,
  },
  status: {
    summary: 'show what holds, in the root and in every profile',
    undone: 'no status',
    failure: EXIT.unreadable,
    answersInText: true,
    unreadLabels: EXIT.unreadable,
    load: async () => (await import('./verbs/status/command.ts')).status,
  },
  explain: {
    summary: 'show every hold, what it decides and what would lift it',
    undone: 'not explained',
    failure: EXIT.unreadable,
    answersInText: true,
    unreadLabels: EXIT.unreadable,
    load: async () => (await import('./verbs/explain/command.ts')).explain,
  },
  assert: {
    summary: 'exit 0 only if every profile is as claimed',
    undone: 'NOT asserted',
    failure: EXIT.unreadable,
    answersInText: false,
    unreadLabels: EXIT.unreadable,
    load: async () => (await import('./verbs/assert/command.ts')).assert,
  },
  history: {
    summary: 'show what was done to holds, from the journal',
    undone: 'no history',
    failure: EXIT.unreadable,
    answersInText: true,
    unreadLabels: EXIT.unreadable,
    load: async () => (await import('./verbs/history/command.ts')).history,
  },
  doctor: {
    summary: 'look for what is wrong with the fleet and this host',
    undone: 'NOT examined',
    failure: EXIT.unreadable,
    answersInText: true,
    load: async () => (await import('./verbs/doctor/command.ts')).doctor,
  },
  profiles: {
    summary: 'list the profiles, with their labels and what is wrong with them',
    undone: 'not listed',
    failure: EXIT.unreadable,
    answersInText: true,
    unreadLabels: EXIT.unreadable,
    load: async () => (await import('./verbs/profiles/command.ts')).profiles,
  },
  init: {
    summary: 'make the root of a fleet',
    undone: 'NOT made',
    failure: EXIT.notAsAsked,
    answersInText: false,
    load: async () => (await import('./verbs/init/command.ts')).init,
  },
  watcher: {
    summary: 'watch the fleet, send its state to gateways and serve it over HTTP',
    undone: 'NOT watched',
    failure: EXIT.notAsAsked,
    answersInText: false,
    load: async () => (await import('./verbs/watcher/command.ts')).watcher,
  },
  events: {
    summary: 'follow the events that the watcher of the fleet reports',
    undone: 'no events',
    failure: EXIT.unreadable,
    answersInText: true,
    unreadLabels: EXIT.unreadable,
    load: async () => (await import('./verbs/events/command.ts')).events,
  },
  completion: {
    summary: 'print a script that completes words in bash, zsh or fish',
    undone: 'no script',
    failure: EXIT.notAsAsked,
    answersInText: true,
    load: async () => (await import('./verbs/completion/command.ts')).completion,
  },
  window: {
    summary: 'hold new work while a command runs, and no longer',
    undone: 'NOT run',
    failure: EXIT.fleetFailed,
    answersInText: false,
    wraps: 'always',
    load: async () => (await import('./verbs/window/command.ts')).window,
  },
  gate: {
    summary: 'run a command, or exit 0, only if new work is admitted',
    undone: 'NOT admitted',
    failure: EXIT.fleetFailed,
    answersInText: false,
    wraps: 'perhaps',
    load: async () => (await import('./verbs/gate/command.ts')).gate,
  },
};

/** Words that people try for a verb: names from other tools, and words that look like an unrelated verb. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  unpause: ['resume'],
  unhold: ['resume'],
  release: ['resume'],
  lift: ['resume'],
  continue: ['resume'],
  start: ['resume'],
  stop: ['pause'],
  hold: ['pause'],
  halt: ['pause'],
  freeze: ['pause'],
  reboot: ['restart'],
  reload: ['restart'],
  list: ['profiles', 'status'],
  log: ['history'],
  check: ['doctor', 'assert'],
};

/** Throws a usage error for a word that is not a verb. */
export function entryOf(name: string): Entry {
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (entry !== undefined) return entry;
  const near =
    (Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] : undefined) ??
    nearest(name.toLowerCase(), Object.keys(VERBS));
  throw usageError(
    `\`${name}\` is not a verb of fleet`,
    near.length === 0 ? 'see fleet --help' : `did you mean ${near.join(' or ')}?`,
  );
}
