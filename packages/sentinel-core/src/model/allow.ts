/**
 * Allowlists: how one is read from a body, and what several of them allow together.
 * Who is admitted is decided in `decide/admit.ts`.
 */
import type { Allow } from './hold.ts';
import { type JsonObject, type JsonValue, NumberText } from './json.ts';
import { stripSpace } from './space.ts';

/**
 * Ids are compared as exact text. A number counts as the text it is written with, so that an id
 * beyond 2^53 never matches its neighbour; what is neither text nor number names nobody.
 * null: no allowlist, nobody passes.
 */
export function readAllow(value: JsonValue | undefined): Allow | null {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value) || value instanceof NumberText) return null;
  const userIds = readIds(value.user_ids);
  // INVARIANT 10: `profiles` narrows. Present but without a name that can be read, it leaves nothing.
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

/** Who passes every one of them; null: nobody. */
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

/** The text that upstream's language gives the number, '' where we cannot be sure of it. */
function idOf({ text }: NumberText): string {
  if (/^-?\d+$/.test(text)) return text === '-0' ? '0' : text;
  const value = Number(text);
  const size = Math.abs(value);
  if (!(size >= 1e-4 && size < 1e16)) return '';
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
