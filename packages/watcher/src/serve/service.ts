/**
 * The HTTP service of the daemon: on TCP loopback, and always on a unix socket in `.fleet/`, which
 * needs no port, cannot be reached by a browser, and has its own stream limit.
 *
 * A failure here never stops the watcher: a port in use is logged, reported on `/readyz`, and
 * retried.
 */

import { hostname } from 'node:os';
import { join } from 'node:path';
import type { HttpAddresses } from '@fleet-estop/protocol';
import { codeOf } from '@fleet-estop/sentinel-core';
import { sourceOf } from '../state/envelope.ts';
import { stateViews } from '../state/views.ts';
import { createApp } from './app.ts';
import { onSocket, onTcp } from './client.ts';
import type { Contribution, ServeContext } from './context.ts';
import { documents } from './documents.ts';
import { feed } from './feed.ts';
import { type HttpListener, isAnswered, listenOnSocket, listenOnTcp } from './listener.ts';
import { metrics } from './metrics.ts';
import { readinessOf } from './readiness.ts';
import { refusals } from './refusals.ts';
import { streams } from './stream.ts';
import { type StreamLimits, streamAdmission, streamLimitsFor } from './stream-admission.ts';
import { isWritingOn } from './token.ts';
import { waits } from './wait.ts';
import { workInHand } from './work.ts';
import { writer } from './write-holds.ts';

export interface ServeOptions {
  /** Overrides `fleet.yaml`; 0 takes any free port. */
  readonly port?: number | undefined;
  /** false: only the unix socket. Overrides `fleet.yaml`. */
  readonly enabled?: boolean | undefined;
  readonly contribution?: Contribution;
  /** Called whenever HTTP becomes reachable at a URL. */
  readonly served?: (url: string) => void;
  readonly heartbeatMs?: number;
  /** How often to retry a port in use and to apply changed settings. */
  readonly keepMs?: number;
  /** Overrides some of the default stream limits. */
  readonly streamLimits?: Partial<StreamLimits>;
  /** How long a stream may leave a write unread. */
  readonly writeTimeoutMs?: number;
}

const DEFAULT_PORT = 7433;
const HTTP_SOCKET = 'http.sock';

/** Short enough for a browser that was told to retry. */
const MAINTAIN_MS = 2_000;
/** A reader that hears nothing for three times as long knows that it is disconnected. */
const HEARTBEAT_MS = 3_000;
const WRITE_TIMEOUT_MS = 30_000;

export function httpService(
  options: ServeOptions = {},
): (context: ServeContext) => Promise<() => Promise<void>> {
  return (context) => serve(context, options);
}

async function serve(context: ServeContext, options: ServeOptions): Promise<() => Promise<void>> {
  const { root, store, log, configState } = context;
  const { contribution = {}, heartbeatMs = HEARTBEAT_MS, keepMs = MAINTAIN_MS } = options;
  const socketPath = join(root, '.fleet', HTTP_SOCKET);
  let tcp: HttpListener | null = null;
  let tcpWanted: number | null = null;
  let tcpRefused: string | null = null;
  let socket: HttpListener | null = null;
  let socketRefused: string | null = null;

  const served = (): HttpAddresses => {
    const isThere = socket?.isPublished() === true;
    return {
      port: tcp?.port ?? null,
      port_refused: tcpRefused,
      socket: isThere ? socketPath : null,
      // It vanished after the last check.
      socket_refused: isThere ? null : (socketRefused ?? 'ENOENT'),
    };
  };
  const readiness = () => readinessOf(context, served());
  const writing = () => (isWritingOn(root) ? 'token' : 'off');
  const workOf = workInHand(root);
  const docs = documents({ context, served, writing, contribution, workOf });
  const events = feed({
    store,
    source: sourceOf(root, hostname()),
    state: docs.state,
    heartbeatData() {
      const { ready, blind, health } = readiness();
      return {
        ready,
        blind,
        sweep_age_ms: health.sweep_age_ms,
        heartbeat_ms: heartbeatMs,
        now_ms: Date.now(),
      };
    },
    heartbeatMs,
  });
  const { writeTimeoutMs = WRITE_TIMEOUT_MS } = options;
  const admission = streamAdmission({
    ...streamLimitsFor(context.caps.http),
    ...options.streamLimits,
  });
  const shares = { feed: events, admission, writeTimeoutMs };
  const views = stateViews(store);
  const tcpStreams = streams({ ...shares, whoAsks: onTcp(root) });
  const socketStreams = streams({ ...shares, whoAsks: onSocket });
  const streamCounts = () => ({
    sent: events.sent,
    gaps: events.gaps,
    readers: events.readers,
    dropped: tcpStreams.dropped() + socketStreams.dropped(),
    evicted: admission.evicted,
    refused: admission.refused,
  });
  const figures = metrics(context, { streamCounts, isReady: () => readiness().ready });
  const shared = {
    root,
    log,
    documents: docs,
    refusals: refusals({ store }),
    metrics: {
      ...figures,
      text: async () => `${await figures.text()}${(await contribution.metrics?.()) ?? ''}`,
    },
    writer: writer({ root, settings: () => configState().settings }),
    readiness,
    written: context.lookAgain,
    cut: context.cut,
    hasProfile: (name: string) =>
      store.snapshot().fleet.profiles.some((profile) => profile.name === name),
  };
  const hosts = () => configState().settings.watcher?.http?.hosts ?? [];
  const tcpWait = waits({ views, admission, whoAsks: onTcp(root) });
  const socketWait = waits({ views, admission, whoAsks: onSocket });
  const tcpApp = createApp({ ...shared, streams: tcpStreams, wait: tcpWait, hosts });
  const socketApp = createApp({ ...shared, streams: socketStreams, wait: socketWait, hosts: null });

  const socketFailed = (code: string): void => {
    if (code !== socketRefused) {
      log.error({ path: socketPath, code }, 'http cannot be served on its unix socket');
    }
    socketRefused = code;
  };
  const maintainSocket = async (): Promise<void> => {
    if (socket?.isPublished()) {
      socketRefused = null;
      return;
    }
    // Whoever listens there took the instance lock from us, and so this name.
    if (socket !== null && (await isAnswered(socketPath))) return socketFailed('EADDRINUSE');
    void socket?.close();
    socket = null;
    try {
      socket = await listenOnSocket(socketApp.fetch, socketPath, context.caps.http);
      socketRefused = null;
      log.info({ path: socketPath }, 'http is served on a unix socket');
    } catch (error) {
      socketFailed(codeOf(error));
    }
  };

  const maintainTcp = async (): Promise<void> => {
    const http = configState().settings.watcher?.http;
    const isOn = options.enabled ?? http?.enabled ?? true;
    const wanted = isOn ? (options.port ?? http?.port ?? DEFAULT_PORT) : null;
    if (wanted === tcpWanted && (wanted === null || tcp !== null)) return;
    tcpWanted = wanted;
    const old = tcp;
    tcp = null;
    await old?.close();
    if (wanted === null) {
      tcpRefused = null;
      return;
    }
    try {
      tcp = await listenOnTcp(tcpApp.fetch, wanted, context.caps.http);
      tcpRefused = null;
      const url = `http://127.0.0.1:${tcp.port}/`;
      log.info({ url }, 'http is served');
      options.served?.(url);
    } catch (error) {
      const code = codeOf(error);
      const hint = 'free the port, or choose another by `watcher.http.port` or --port';
      if (code !== tcpRefused) log.error({ port: wanted, code, hint }, 'http cannot be served');
      tcpRefused = code;
    }
  };

  let maintaining: Promise<void> = maintainSocket().then(maintainTcp);
  let closed = false;
  await maintaining;
  const timer = setInterval(() => {
    maintaining = maintaining.then(async () => {
      if (closed) return;
      await maintainSocket();
      await maintainTcp();
    });
  }, keepMs).unref();

  return async () => {
    closed = true;
    clearInterval(timer);
    await maintaining;
    events.close();
    views.close();
    figures.close();
    await Promise.all([tcp?.close(), socket?.close()]);
  };
}
