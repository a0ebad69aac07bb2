/**
 * The OpenAPI 3.1 document of the watcher's HTTP API, made from the schemas.
 */
import * as events from './events.ts';
import * as fleet from './fleet.ts';
import * as holds from './holds.ts';
import { type JsonSchema, jsonSchemas } from './json-schema.ts';
import * as ledger from './ledger.ts';
import * as state from './state.ts';

/** Names are part of the contract: programs that generate code from the document use them. */
const components = {
  Hold: fleet.hold,
  Scope: fleet.scope,
  Profile: fleet.profile,
  Acknowledgement: fleet.acknowledgement,
  Gateway: fleet.gateway,
  RejectedSettings: fleet.rejectedSettings,
  Unreadable: fleet.unreadable,
  Health: state.health,
  Webhook: state.webhook,
  State: state.state,
  KnownState: state.knownState,
  ProfileState: state.profileState,
  Fate: ledger.fate,
  Work: ledger.work,
  Refusals: ledger.refusals,
  Gateways: state.gateways,
  CutRequest: state.cutRequest,
  Cut: state.cut,
  Alive: state.alive,
  Ready: state.ready,
  Event: events.event,
  Heartbeat: events.heartbeat,
  Gap: events.gap,
  HoldRequest: holds.holdRequest,
  Armed: holds.armed,
  WouldArm: holds.wouldArm,
  HoldTerms: holds.holdTerms,
  Lifted: holds.lifted,
  Error: state.error,
};

type Component = keyof typeof components;

const PATH = '#/components/schemas/';

const ref = (name: Component): JsonSchema => ({ $ref: `${PATH}${name}` });

const answer = (
  description: string,
  schema: Component | readonly Component[],
  type = 'application/json',
): JsonSchema => ({
  description,
  content: {
    [type]: { schema: typeof schema === 'string' ? ref(schema) : { anyOf: schema.map(ref) } },
  },
});

const error = (description: string): JsonSchema => answer(description, 'Error');

const guardErrors = { 403: error('The host name or origin is not allowed.') };

/** The token is optional here: over TCP, names are only shown with it. */
const anyBearer = [{}, { token: [] }];

const tokenErrors = {
  401: error('A token was sent, and is wrong.'),
  503: error('The token file cannot be used.'),
};

const get = (
  operationId: string,
  summary: string,
  responses: JsonSchema,
  parameters: readonly JsonSchema[] = [],
  more: JsonSchema = {},
): JsonSchema => ({
  get: {
    operationId,
    summary,
    ...more,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { ...responses, ...guardErrors },
  },
});

const parameter = (
  place: 'path' | 'query' | 'header',
  name: string,
  about: string,
): JsonSchema => ({
  name,
  in: place,
  required: place === 'path',
  description: about,
  schema: { type: 'string' },
});

const STREAM = `A stream of server-sent events: first \`snapshot\` (the document of /v1/state), then every event of the
fleet as an unnamed message whose data is a CloudEvents envelope. \`heartbeat\` comes at the start, every few seconds,
and whenever the revision grew without an event. A client that reconnects with the last id it saw gets the events it
missed, and no snapshot. If that is not possible, it gets \`gap\` with the reason (another-run, too-old,
not-understood), and then a snapshot. When the stream limit is reached, a new stream evicts the oldest one of the client
with the most streams, unless every stream is younger than half a minute. Clients with the token (over TCP), and the
unix socket, have their own limits; a wrong token counts as none here.`;

const WAIT = `The state as soon as it is not the one that \`If-None-Match\` names, or 304 when the time is up. Without that
header it answers at once. A change that comes alone is answered at once, and a burst at most 50 times a second. Times
at which something was last seen are no change. A request that waits counts as a stream of /v1/events, in the limits too.`;

const tooManyStreams = {
  ...error(
    'The stream limit is reached; the message names the limit, and `Retry-After` says when to retry.',
  ),
  headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } },
};

const writeErrors = {
  400: error('The request is invalid.'),
  401: error('The token is missing or wrong.'),
  403: error('Writing is off, a policy forbids it, or the host name or origin is not allowed.'),
  404: error('No such profile, or no such hold stands.'),
  409: error('It conflicts with what stands, or this hold cannot be changed here.'),
  413: error('The body is too large.'),
  415: error('The content type is not JSON.'),
  503: error('The disk or the token file could not be used; nothing is claimed.'),
};

const bearer = [{ token: [] }];

export const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'fleet-watcher',
    version: '1',
    description:
      'The state of a fleet, as its watcher last read it from disk. The disk is authoritative.',
  },
  paths: {
    '/v1/state': get('getState', 'The whole state at its newest revision.', {
      200: answer('The state.', 'State'),
      304: { description: 'It is what `If-None-Match` names.' },
    }),
    '/v1/wait': get(
      'waitForState',
      WAIT.replaceAll('\n', ' '),
      {
        200: answer('The state, without what concerns the watcher itself.', 'KnownState'),
        304: { description: 'It is still what `If-None-Match` names.' },
        400: error('A parameter is invalid.'),
        503: tooManyStreams,
      },
      [
        parameter('header', 'If-None-Match', 'The `ETag` of the answer before.'),
        parameter(
          'query',
          'profile',
          'Only this profile and the gateways that serve it; up to 64 times. A name that is no profile yet is only missing. Omitted: all.',
        ),
        parameter('query', 'timeout', 'Milliseconds to wait. Default, and at most: 20000.'),
      ],
      { security: anyBearer },
    ),
    '/v1/profiles/{name}': get(
      'getProfile',
      'One profile: its holds, its gateways and its work in hand.',
      {
        200: answer('The profile.', 'ProfileState'),
        404: error('There is no such profile.'),
        ...tokenErrors,
      },
      [parameter('path', 'name', 'Name of the profile.')],
      { security: anyBearer },
    ),
    '/v1/profiles/{name}/cut': {
      post: {
        operationId: 'cutWork',
        summary:
          'Has the gateways of a profile tell the owners of its work in hand that it is cut, and abort it. The same id again tells nobody twice. On the unix socket no token is needed.',
        security: anyBearer,
        parameters: [parameter('path', 'name', 'Name of the profile.')],
        requestBody: {
          required: true,
          content: { 'application/json': { schema: ref('CutRequest') } },
        },
        responses: {
          200: answer('Every gateway has answered, or the deadline has passed.', 'Cut'),
          ...writeErrors,
        },
      },
    },
    '/v1/refusals': get(
      'getRefusals',
      'What holds have refused: the newest receipts of gateways, and counts per door.',
      {
        200: answer('What was read, and whether it is complete.', 'Refusals'),
        400: error('A parameter is invalid.'),
        404: error('There is no such profile.'),
        ...tokenErrors,
        503: error('Too many clients ask for all profiles, or the token file cannot be used.'),
      },
      [
        parameter('query', 'profile', 'Name of the profile. Omitted: all profiles.'),
        parameter('query', 'door', 'Such as `turn`. Omitted: every door.'),
        parameter('query', 'since', 'A duration such as 24h, or an instant with an offset.'),
        parameter('query', 'limit', 'Maximum number of listed receipts: 0 to 1000. Default: 100.'),
      ],
      { security: anyBearer },
    ),
    '/v1/gateways': get('getGateways', 'The gateways, and what each has acknowledged.', {
      200: answer('The gateways.', 'Gateways'),
    }),
    '/v1/events': get(
      'streamEvents',
      STREAM.replaceAll('\n', ' '),
      {
        200: answer(
          'The stream. The schema is that of the data of one message: unnamed, `snapshot`, `heartbeat` or `gap`.',
          ['Event', 'State', 'Heartbeat', 'Gap'],
          'text/event-stream',
        ),
        400: error('A parameter is invalid, or this connection already carries a stream.'),
        503: tooManyStreams,
      },
      [
        parameter('header', 'Last-Event-ID', 'Id of the event seen last: `<epoch>-<revision>`.'),
        parameter('query', 'last_event_id', 'The same, for clients that cannot set the header.'),
        parameter(
          'query',
          'recent',
          'How many past events follow the snapshot, without an id: 0 to 200.',
        ),
      ],
      { security: anyBearer },
    ),
    '/metrics': get('getMetrics', 'Metrics in the text format of Prometheus.', {
      200: { description: 'The metrics.', content: { 'text/plain': {} } },
    }),
    '/healthz': get('getHealth', 'The process answers.', { 200: answer('It does.', 'Alive') }),
    '/readyz': get(
      'getReadiness',
      'Whether the watcher is ready. Rejected settings are only listed.',
      {
        200: answer('It is ready.', 'Ready'),
        503: answer('It is not ready.', 'Ready'),
      },
    ),
    '/openapi.json': get('getOpenApi', 'This document.', {
      200: { description: 'This document.' },
    }),
    '/v1/holds': {
      post: {
        operationId: 'armHold',
        summary: 'Arms a hold, or arms this holder’s hold again.',
        security: bearer,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: ref('HoldRequest') } },
        },
        responses: {
          200: answer(
            'This holder’s hold replaced its earlier one; or, for a dry run, what would happen.',
            ['Armed', 'WouldArm'],
          ),
          201: answer('A new hold stands.', 'Armed'),
          ...writeErrors,
        },
      },
    },
    '/v1/holds/{id}': {
      delete: {
        operationId: 'liftHold',
        summary: 'Lifts one hold.',
        security: bearer,
        parameters: [
          parameter('path', 'id', 'Id of the hold.'),
          parameter('query', 'as', 'Who lifts it, for the journal. Left out: `not said`.'),
        ],
        responses: { 200: answer('It is gone.', 'Lifted'), ...writeErrors },
      },
    },
  },
  components: {
    schemas: jsonSchemas(components, PATH, ['HoldRequest', 'CutRequest']),
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'Content of `.fleet/token`.' },
    },
  },
};
