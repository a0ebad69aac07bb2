/**
 * Checks on every request: a page of another site in the operator's browser must not reach the
 * watcher under any name.
 * Who may write is `token.ts`.
 */
import type { HttpBindings } from '@hono/node-server';
import type { MiddlewareHandler } from 'hono';
import { httpError, sendError } from './answers.ts';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The name in a `Host` header or an origin, without the port; null: it is invalid. */
export function hostName(authority: string): string | null {
  const found = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::[0-9]{1,5})?$/i.exec(authority);
  return found?.[1]?.toLowerCase() ?? null;
}

/**
 * Protects against DNS rebinding: a foreign name may be an attacker's that points at this machine.
 * Any port is accepted, since tunnels change it.
 */
export function onlyKnownHosts(allowed: () => readonly string[]): MiddlewareHandler {
  const isKnown = (name: string): boolean =>
    LOOPBACK_NAMES.has(name) || allowed().some((known) => known.toLowerCase() === name);
  return async (c, next) => {
    const name = hostName(c.req.header('host') ?? '');
    if (name !== null && isKnown(name)) return next();
    return sendError(
      c,
      httpError(
        403,
        'host-unknown',
        'the host name is not allowed',
        'use http://127.0.0.1 or http://localhost, through a tunnel from elsewhere; add a name that a proxy passes on to `watcher.http.hosts` in fleet.yaml',
      ),
    );
  };
}

/** An absolute URL is meant for a proxy, and its host name is not checked here. */
export const onlyOwnAddresses: MiddlewareHandler<{ Bindings: HttpBindings }> = async (c, next) => {
  if (c.env.incoming.url?.startsWith('/')) return next();
  const hint = 'ask for a path';
  return sendError(c, httpError(400, 'address-foreign', 'the watcher is not a proxy', hint));
};

/** Another origin may only link to the dashboard. */
export const onlySameOrigin: MiddlewareHandler = async (c, next) => {
  const origin = c.req.header('origin');
  const site = c.req.header('sec-fetch-site') ?? 'none';
  const isNavigation = c.req.method === 'GET' && c.req.header('sec-fetch-mode') === 'navigate';
  const sameOrigin = origin === undefined || isOriginOf(origin, c.req.header('host') ?? '');
  const sameSite = site === 'same-origin' || site === 'none';
  if (sameOrigin && (sameSite || isNavigation)) return next();
  return sendError(
    c,
    httpError(
      403,
      'origin-foreign',
      'pages of other origins may not access the watcher',
      'open the dashboard at its own address, or use a client that is not a browser; a proxy must pass `Host` on unchanged, with the port',
    ),
  );
};

function isOriginOf(origin: string, host: string): boolean {
  const found = /^https?:\/\/([^/]+)$/i.exec(origin);
  return found?.[1]?.toLowerCase() === host.toLowerCase();
}

const CONTENT_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Added to every answer, errors included. */
export const safeHeaders: MiddlewareHandler = async (c, next) => {
  await next();
  const headers: Readonly<Record<string, string>> = {
    'Content-Security-Policy': CONTENT_POLICY,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Cross-Origin-Opener-Policy': 'same-origin',
  };
  for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  if (!c.res.headers.has('Cache-Control')) c.res.headers.set('Cache-Control', 'no-store');
};
