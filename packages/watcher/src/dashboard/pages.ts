/**
 * The files of the dashboard by path.
 * Access and headers are `serve/`.
 */
import { createHash } from 'node:crypto';
import { embedded } from './embedded.ts';

export interface Page {
  readonly path: string;
  readonly type: string;
  readonly text: string;
  /** Changes with the text. */
  readonly tag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
};

export const pages: readonly Page[] = Object.entries(embedded).map(([name, text]) => ({
  path: name === 'page.html' ? '/' : `/dashboard/${name}`,
  type: TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain',
  text,
  tag: `"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`,
}));
