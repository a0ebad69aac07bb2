/**
 * May older readers, who know nothing of `holds`, understand less of a body than its holds say?
 * Judged from the text alone, and not by the code that composed it.
 */
interface Level {
  readonly expires_at?: string;
  readonly allow?: { readonly user_ids: readonly string[]; readonly profiles?: readonly string[] };
}

/** What is wrong with the top level of this body; null: nothing. */
export function topLevelFault(text: string): string | null {
  const body = JSON.parse(text) as Level & { readonly holds?: readonly Level[] };
  const holds = body.holds ?? [];
  if (body.expires_at !== undefined) {
    const deadline = Date.parse(body.expires_at);
    const later = holds.some(
      ({ expires_at }) => expires_at === undefined || Date.parse(expires_at) > deadline,
    );
    if (later) return 'it expires before one of its holds';
  } else if (holds.every(({ expires_at }) => expires_at !== undefined)) {
    return 'it never expires, and all of its holds do';
  }
  for (const id of body.allow?.user_ids ?? []) {
    if (holds.some(({ allow }) => !allow?.user_ids.includes(id))) return `it lets \`${id}\` pass`;
  }
  const narrows = holds.some(({ allow }) => allow?.profiles !== undefined);
  return narrows && body.allow !== undefined && body.allow.profiles === undefined
    ? 'it lets every profile pass'
    : null;
}
