/**
 * The shape of a document: what a test pins down, so that no key comes or goes unnoticed.
 */
import type { Document } from './fleet.ts';

/** Every key at any depth, as a path, once each and sorted; all entries of a list count as one. */
export function keyPathsOf(document: Document): string[] {
  return [...new Set(pathsIn(document, ''))].sort();
}

function pathsIn(value: Document, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => pathsIn(item, `${path}[]`));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const own = path === '' ? key : `${path}.${key}`;
    return [own, ...pathsIn(inner, own)];
  });
}
