/**
 * Every HTTP route, and the checks in front of it.
 * The documents are made elsewhere, for example in `documents.ts`.
 */

import type { ReadyDocument } from '@fleet-estop/protocol';
import type { HttpBindings } from '@hono/node-server';
import { type Context, type Handler, Hono, type MiddlewareHandler } from 'hono';
import { type Page, pages } from '../dashboard/pages.ts';
import { type HttpError, httpError, sendError, sendJson } from './answers.ts';
import { jsonBody } from './body.ts';
import type { ServeContext, ServeLog } from './context.ts';
import { parseCutRequest } from './cut-request.ts';
import type { Documents } from './documents.ts';
import { onlyKnownHosts, onlyOwnAddresses, onlySameOrigin, safeHeaders } from './guards.ts';
import type { Metrics } from './metrics.ts';
import { type PeopleAccess, redactRefusals, redactWork } from './redaction.ts';
import type { Refusals } from './refusals.ts';
import { parseRefusalsQuery } from './refusals-query.ts';
import type { Streams } from './stream.ts';
import { maySeeNames, mayWrite } from './token.ts';
import type { Writer } from './write-holds.ts';
import { parseAuthor, parseHoldRequest } from './write-request.ts';

export interface AppOptions {
  readonly root: string;
  readonly log: ServeLog;
  readonly documents: Documents;
  readonly refusals: Refusals;
  readonly metrics: Metrics;
  readonly streams: Streams;
  readonly wait: Handler<{ Bindings: HttpBindings }>;
  readonly writer: Writer;
  readonly readiness: () => ReadyDocument;
  /** Called after each write. */
  readonly written: () => void;
  readonly cut: ServeContext['cut'];
  readonly hasProfile: (name: string) => boolean;
  /**
   * Host names allowed besides those of loopback; null: any, since only our users reach the unix
   * socket.
   */
  readonly hosts: (() => readonly string[]) | null;
}

const NO_PROFILE = httpError(
  404,
  'profile-unknown',
  'there is no such profile',
  'see /v1/state for the profiles that exist',
);

type App = Hono<{ Bindings: HttpBindings }>;

export function createApp(options: AppOptions): App {
  const app: App = new Hono();
  app.use(safeHeaders);
  app.use(onlyOwnAddresses);
  if (options.hosts !== null) app.use(onlyKnownHosts(options.hosts));
  app.use(onlySameOrigin);
  readRoutes(app, options);
  writeRoutes(app, options);
  for (const page of pages) servePage(app, page);
  errorRoutes(app, options.log);
  return app;
}

function readRoutes(app: App, options: AppOptions): void {
  const { documents, refusals, metrics, streams, wait, readiness } = options;
  app.get('/v1/state', (c) => {
    const tag = documents.tag();
    c.header('ETag', tag);
    c.header('Cache-Control', 'no-cache');
    if (c.req.header('if-none-match') === tag) return c.body(null, 304);
    return c.body(documents.state(), 200, { 'Content-Type': 'application/json' });
  });
  app.get('/v1/wait', wait);
  app.get('/v1/profiles/:name', (c) => {
    const access = accessFor(c, options);
    if (typeof access !== 'string') return sendTokenError(c, access);
    const found = documents.profile(c.req.param('name'));
    if (found !== null) return sendJson(c, { ...found, work: redactWork(access, found.work) });
    return sendError(c, NO_PROFILE);
  });
  app.get('/v1/refusals', async (c) => {
    const access = accessFor(c, options);
    if (typeof access !== 'string') return sendTokenError(c, access);
    const asked = parseRefusalsQuery(c.req.queries(), Date.now());
    const answer = 'status' in asked ? asked : await refusals.answer(asked);
    if (!('status' in answer)) return sendJson(c, redactRefusals(access, answer));
    if (answer.status === 503) c.header('Retry-After', '1');
    return sendError(c, answer);
  });
  app.get('/v1/gateways', (c) => sendJson(c, documents.gateways()));
  app.get('/v1/events', streams.handler);
  app.get('/metrics', async (c) =>
    c.body(await metrics.text(), 200, { 'Content-Type': metrics.contentType }),
  );
  app.get('/healthz', (c) => {
    const { epoch, revision } = readiness();
    return sendJson(c, {
      schema: 'fleet/health/v1',
      alive: true,
      pid: process.pid,
      epoch,
      revision,
    });
  });
  app.get('/readyz', (c) => {
    const readinessNow = readiness();
    return sendJson(c, readinessNow, readinessNow.ready ? 200 : 503);
  });
  // Loaded by the first request: the schema library is used for nothing else here.
  app.get('/openapi.json', async (c) => {
    const { openapi } = await import('@fleet-estop/protocol/schemas');
    return c.json(openapi);
  });
}

/**
 * A wrong bearer token is refused, because its sender expects names. A `Basic` password that a
 * proxy asked for and passed on is not a token.
 */
function accessFor(c: Context, { root, hosts }: AppOptions): PeopleAccess | HttpError {
  if (hosts === null) return 'told';
  const authorization = c.req.header('authorization');
  if (authorization === undefined || /^Basic /i.test(authorization)) return 'withheld';
  return maySeeNames(root, authorization) ?? 'told';
}

function sendTokenError(c: Context, refused: HttpError): Response {
  if (refused.status === 401) c.header('WWW-Authenticate', 'Bearer realm="fleet"');
  return sendError(c, refused);
}

function writeRoutes(app: App, options: AppOptions): void {
  const { root, log, writer, written, cut, hasProfile, hosts } = options;
  const needsToken: MiddlewareHandler = async (c, next) => {
    if (c.req.method !== 'POST' && c.req.method !== 'DELETE') return next();
    const refused = mayWrite(root, c.req.header('authorization'));
    if (refused === null) return next();
    log.warn({ code: refused.code, method: c.req.method }, 'writing over HTTP was refused');
    return sendTokenError(c, refused);
  };
  app.use('/v1/holds/*', needsToken);
  // A restart needs no token file: only our users reach the unix socket, and no hold changes.
  if (hosts !== null) app.use('/v1/profiles/:name/cut', needsToken);
  app.post('/v1/profiles/:name/cut', async (c) => {
    const body = await jsonBody(c.req.raw);
    if (typeof body !== 'string') return sendError(c, body);
    const asked = parseCutRequest(body);
    if ('status' in asked) return sendError(c, asked);
    const profile = c.req.param('name');
    if (!hasProfile(profile)) return sendError(c, NO_PROFILE);
    const gateways = await cut(profile, asked);
    log.info({ profile, operation: asked.id, gateways }, 'work cut over HTTP');
    return sendJson(c, { schema: 'fleet/cut/v1', id: asked.id, profile, gateways });
  });
  app.post('/v1/holds', async (c) => {
    const body = await jsonBody(c.req.raw);
    if (typeof body !== 'string') return sendError(c, body);
    const nowMs = Date.now();
    const asked = parseHoldRequest(body, nowMs);
    if ('status' in asked) return sendError(c, asked);
    const answer = writer.arm(asked, nowMs);
    if (!asked.dryRun) written();
    if ('status' in answer) return sendError(c, answer);
    if (!answer.armed) return c.json(answer);
    log.info({ profile: answer.profile, hold: answer.hold.id }, 'armed over HTTP');
    return sendJson(c, answer, answer.replaced === null ? 201 : 200);
  });
  app.delete('/v1/holds/:id', (c) => {
    const author = parseAuthor(c.req.queries('as'));
    if (typeof author === 'object') return sendError(c, author);
    const answer = writer.lift(c.req.param('id'), author);
    written();
    if ('status' in answer) return sendError(c, answer);
    log.info({ profile: answer.profile, hold: answer.hold.id }, 'lifted over HTTP');
    return sendJson(c, answer);
  });
}

function servePage(app: App, { path, type, text, tag }: Page): void {
  app.get(path, (c) => {
    // Revalidated every time, so that a page and its scripts have the same version.
    c.header('Cache-Control', 'no-cache');
    c.header('ETag', tag);
    if (c.req.header('if-none-match') === tag) return c.body(null, 304);
    return c.body(text, 200, { 'Content-Type': type });
  });
}

function errorRoutes(app: App, log: ServeLog): void {
  const known = new Map<string, Set<string>>();
  for (const { path, method } of app.routes) {
    if (method === 'ALL' || path.endsWith('*')) continue;
    known.set(path, (known.get(path) ?? new Set()).add(method));
  }
  for (const [path, methods] of known) {
    const allowed = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].join(', ');
    app.all(path, (c) => {
      c.header('Allow', allowed);
      const hint = `use ${allowed}`;
      return sendError(c, httpError(405, 'method-unknown', 'method not allowed', hint));
    });
  }
  app.notFound((c) =>
    sendError(c, httpError(404, 'address-unknown', 'no such address', 'look at /openapi.json')),
  );
  app.onError((error, c) => {
    // The error's text may contain parts of the request.
    log.error(
      { code: (error as { code?: unknown }).code, at: c.req.routePath },
      'a request failed',
    );
    const hint = 'holds on disk still apply; look at the log';
    return sendError(c, httpError(500, 'failed', 'the watcher could not answer', hint));
  });
}
