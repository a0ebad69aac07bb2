/**
 * Converts schema issues to complaints with location, expectation and suggestion.
 * Locations come from `document.ts`; expectations from `leaves.ts`.
 */
import { editDistance, maxTypo } from '@fleet-estop/sentinel-core';
import type * as z from 'zod';
import { type Complaint, shown } from '../problem.ts';
import { dotted, type Path, type Reading, type ValueLocation } from './document.ts';
import { KEY_SEPARATOR } from './leaves.ts';
import { NOTHING } from './node.ts';

type Issue = z.core.$ZodIssue;

/** Complaints in file order, at most one for each value: the first is enough. */
export function complaintsOf(issues: readonly Issue[], reading: Reading): readonly Complaint[] {
  const version = issues.find(({ path }) => path[0] === 'version');
  // A file of another version has other keys; complaining about them would mislead.
  if (version?.input !== undefined && Number.isInteger(version.input)) {
    return complaintsOfIssue(version, reading);
  }
  const byPlace = new Map<string, Complaint>();
  for (const complaint of issues.flatMap((issue) => complaintsOfIssue(issue, reading))) {
    if (!byPlace.has(complaint.key)) byPlace.set(complaint.key, complaint);
  }
  return [...byPlace.values()].sort((a, b) => a.offset - b.offset);
}

function complaintsOfIssue(issue: Issue, { locationOf }: Reading): readonly Complaint[] {
  // Paths of a parsed file contain no symbols.
  const path = issue.path as Path;
  if (issue.code === 'unrecognized_keys') {
    // `mapping` in `leaves.ts` puts the known keys into the message.
    const known = issue.message.split(KEY_SEPARATOR);
    return issue.keys.map((name) => unknownKey(name, known, path, locationOf));
  }
  const key = dotted(path);
  const location = locationOf(path);
  if (location === undefined) {
    const parent = locationOf(path.slice(0, -1));
    const offset = parent?.key ?? parent?.value ?? 0;
    const message = `${shown(key)} is missing`;
    return [{ code: 'missing-key', offset, key, message, expected: issue.message, hint: null }];
  }
  if (issue.code === 'invalid_key') {
    const message = `${shown(String(path.at(-1)))} cannot be a name here`;
    const expected = issue.issues[0]?.message ?? issue.message;
    const offset = location.key ?? location.value;
    return [{ code: 'invalid-value', offset, key, message, expected, hint: null }];
  }
  return [unfit(issue, key, location)];
}

function unfit(issue: Issue, key: string, { described, value: offset }: ValueLocation): Complaint {
  const isOtherVersion = key === 'version' && Number.isInteger(issue.input);
  const isNothing = described === NOTHING;
  const subject = key === '' ? 'the file' : shown(key);
  return {
    code: isOtherVersion ? 'unknown-version' : 'invalid-value',
    offset,
    key,
    message: isNothing
      ? `${subject} has no value`
      : `${subject} cannot be ${carriesSecret(issue.input) ? 'what it is' : described}`,
    expected: issue.message,
    hint: key === '' ? 'begin with `version: 1`, or remove the file' : hintFor(issue),
  };
}

/** Complaints are logged and served, so they must not contain the password of an address. */
const carriesSecret = (input: unknown): boolean =>
  typeof input === 'string' && /:\/\/\S*@/.test(input);

function unknownKey(
  name: string,
  known: readonly string[],
  parent: Path,
  locationOf: Reading['locationOf'],
): Complaint {
  const path = [...parent, name];
  const where = parent.length === 0 ? 'this file' : shown(dotted(parent));
  return {
    code: 'unknown-key',
    offset: locationOf(path)?.key ?? 0,
    key: dotted(path),
    message: `${shown(name)} is not a key of ${where}`,
    expected: oneOf(known),
    hint: didYouMean(nearest(name, known)),
  };
}

function hintFor(issue: Issue): string | null {
  const { input } = issue;
  if (input === null) return 'give it a value, or remove the key';
  if (issue.code === 'invalid_value' && typeof input === 'string') {
    return didYouMean(nearest(input, issue.values.map(String)));
  }
  if (issue.code !== 'invalid_type') return null;
  switch (issue.expected) {
    case 'string':
      return typeof input === 'object' ? null : 'put it in quotes';
    case 'boolean':
      return didYouMean(truthMeantBy(input));
    default:
      return typeof input === 'string' && /^[0-9]+$/.test(input) ? 'leave out the quotes' : null;
  }
}

/** Booleans of YAML 1.1, which people still write. */
function truthMeantBy(input: unknown): string | undefined {
  const word = String(input).toLowerCase();
  if (['yes', 'on', 'y', 'true', '1'].includes(word)) return 'true';
  return ['no', 'off', 'n', 'false', '0'].includes(word) ? 'false' : undefined;
}

const didYouMean = (word: string | undefined): string | null =>
  word === undefined ? null : `did you mean ${shown(word)}?`;

const oneOf = (names: readonly string[]): string =>
  names.length === 1 ? shown(names[0] ?? '') : `one of ${names.map(shown).join(', ')}`;

/** The candidate closest to a mistyped word; undefined if none is close. */
function nearest(typed: string, candidates: readonly string[]): string | undefined {
  const limit = maxTypo(typed);
  const word = normalized(typed);
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, normalized(candidate)) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance);
  return best?.candidate;
}

/** `maxTtl`, `max-ttl` and `MAX_TTL` become the same word. */
const normalized = (word: string): string => word.toLowerCase().replace(/[-_ ]/g, '');
