/**
 * Allowlists: reads them from a body, writes them, and intersects several.
 * `decide/admit.ts` decides who is admitted.
 */
import type { Allow } from './hold.ts';
import { type JsonObject, type JsonValue, NumberText } from './json.ts';
import { stripSpace } from './space.ts';

/**
 * Reads an allowlist. null: no allowlist, so nobody passes. Ids are compared as exact text. A
 * number counts as the text that it is written with, so that an id beyond 2^53 never matches its
 * neighbour. A value that is neither text nor number names nobody.
 */
export function readAllow(value: JsonValue | undefined): Allow | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value) || value instanceof NumberText) return null;
  const userIds = readIds(value.user_ids);
  // INVARIANT 10: `profiles` narrows. A list that is present but has no readable name leaves
  // nobody.
  if (value.profiles === undefined || value.profiles === null) return { userIds };
  return { userIds, profiles: readIds(value.profiles) };
}

export function writeAllow(allow: Allow): JsonObject {
  const { userIds, profiles } = allow;
  return Object.assign(
    Object.create(null) as JsonObject,
    profiles === undefined
      ? { user_ids: [...userIds] }
      : { user_ids: [...userIds], profiles: [...profiles] },
  );
}

/**
 * The allowlist of those who pass all of `allows`; null: nobody. One null among them admits nobody
 * [10]. An empty list of profiles narrows to nobody (decision: `2026-11-29-empty-profiles.md`).
 * Pure.
 */
export function intersectAllow(allows: readonly (Allow | null)[]): Allow | null {
  let userIds: readonly string[] | null = null;
  let profiles: readonly string[] | null = null;
  for (const allow of allows) {
    if (allow === null) return null;
    userIds = userIds === null ? allow.userIds : common(userIds, allow.userIds);
    if (allow.profiles !== undefined) {
      profiles = profiles === null ? allow.profiles : common(profiles, allow.profiles);
    }
  }
  if (userIds === null || userIds.length === 0 || profiles?.length === 0) return null;
  return profiles === null ? { userIds } : { userIds, profiles };
}

const common = (a: readonly string[], b: readonly string[]): string[] => {
  const other = new Set(b);
  return a.filter((id) => other.has(id));
};

function readIds(value: JsonValue | undefined): string[] {
  const items = Array.isArray(value) ? value : [value];
  const ids = new Set<string>();
  for (const item of items) {
    const id =
      typeof item === 'string' ? stripSpace(item) : item instanceof NumberText ? idOf(item) : '';
    if (id !== '') ids.add(id);
  }
  return [...ids];
}

/** The number's text in upstream's language (Python); '' if we cannot be sure of it. */
function idOf({ text }: NumberText): string {
  if (/^-?\d+$/.test(text)) return text === '-0' ? '0' : text;
  const value = Number(text);
  const size = Math.abs(value);
  if (!(size >= 1e-4 && size < 1e16)) return '';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
