/**
 * The OpenAPI 3.1 document of what is served. The shapes are `openapi-schemas.ts`.
 */
import { type Schema, schemas } from './openapi-schemas.ts';

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

const answer = (
  description: string,
  schema: string | readonly string[],
  type = 'application/json',
): Schema => ({
  description,
  content: {
    [type]: { schema: typeof schema === 'string' ? ref(schema) : { anyOf: schema.map(ref) } },
  },
});

const error = (description: string): Schema => answer(description, 'Error');

const guardErrors = { 403: error('The name or origin is not one of ours.') };

/** Names are told over TCP to who sends the token; nobody needs one. */
const anyBearer = [{}, { token: [] }];

const tokenErrors = {
  401: error('A token was sent, and is wrong.'),
  503: error('The token file cannot be used.'),
};

const get = (
  operationId: string,
  summary: string,
  responses: Schema,
  parameters: readonly Schema[] = [],
  more: Schema = {},
): Schema => ({
  get: {
    operationId,
    summary,
    ...more,
    ...(parameters.length === 0 ? {} : { parameters }),
    responses: { ...responses, ...guardErrors },
  },
});

const parameter = (place: 'path' | 'query' | 'header', name: string, about: string): Schema => ({
  name,
  in: place,
  required: place === 'path',
  description: about,
  schema: { type: 'string' },
});

const STREAM = `A stream of server-sent events. First \`snapshot\` (the document of /v1/state), then every
event of the fleet as an unnamed message whose data is a CloudEvents envelope, and \`heartbeat\` at the start, every few
seconds and whenever the revision grew without an event. Whoever comes back with the id seen last gets what
was missed, and no snapshot; where that is not possible, \`gap\` says why (another-run, too-old,
not-understood), and a snapshot follows. Where as many streams are open as there are places for, the
oldest of whoever has most ends in favour of a new one, unless all began less than half a minute ago. Over TCP
with the token, and on the unix socket, there are places of their own; a token that is wrong is no token here.`;

const writeErrors = {
  400: error('What was asked for is not clear.'),
  401: error('The token is missing or wrong.'),
  403: error('Writing is off, a policy forbids it, or the name or origin is not one of ours.'),
  404: error('No such profile, or no such hold stands.'),
  409: error('Something else stands there, or nothing that this could be done to.'),
  413: error('The body is too large.'),
  415: error('The body is not said to be JSON.'),
  503: error('The disk or the token file could not be used; nothing is claimed.'),
};

const bearer = [{ token: [] }];

export const openapi = {
  openapi: '3.1.0',
  info: {
    title: 'fleet-watcher',
    version: '1',
    description:
      'What stands in a fleet, as its watcher last read it from disk. The disk decides; this tells.',
  },
  paths: {
    '/v1/state': get('getState', 'Everything, at its newest revision.', {
      200: answer('The state.', 'State'),
      304: { description: 'It is what `If-None-Match` names.' },
    }),
    '/v1/profiles/{name}': get(
      'getProfile',
      'One profile, what binds it, who serves it, and what is in hand.',
      {
        200: answer('The profile.', 'ProfileState'),
        404: error('There is no such profile.'),
        ...tokenErrors,
      },
      [parameter('path', 'name', 'Name of the profile.')],
      { security: anyBearer },
    ),
    '/v1/refusals': get(
      'getRefusals',
      'What holds have kept back: the newest receipts of gateways, and how many of each door.',
      {
        200: answer('What was read, and whether that is all there is.', 'Refusals'),
        400: error('A parameter is not understood.'),
        404: error('There is no such profile.'),
        ...tokenErrors,
        503: error('Too many ask for those of all profiles, or the token file cannot be used.'),
      },
      [
        parameter('query', 'profile', 'Name of the profile. Left out: all of them.'),
        parameter('query', 'door', 'Such as `turn`. Left out: every door.'),
        parameter(
          'query',
          'since',
          'The last so long, such as 24h; or an instant with its offset.',
        ),
        parameter('query', 'limit', 'How many are told one by one: 0 to 1000; else 100.'),
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
        400: error('A parameter is not understood, or this connection has a stream already.'),
        503: {
          ...error('Every place is taken; the message says whose, and `Retry-After` how long.'),
          headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } },
        },
      },
      [
        parameter('header', 'Last-Event-ID', 'Id of the event seen last: `<epoch>-<revision>`.'),
        parameter('query', 'last_event_id', 'The same, for who cannot set the header.'),
        parameter(
          'query',
          'recent',
          'How many past events follow the snapshot, without an id of the stream: 0 to 200.',
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
      'The watcher sees the disk. Settings that were refused are named, no more.',
      {
        200: answer('It does.', 'Ready'),
        503: answer('It does not.', 'Ready'),
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
            'This holder’s hold took the place of the one before; or, of a dry run, what would happen.',
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
    schemas,
    securitySchemes: {
      token: { type: 'http', scheme: 'bearer', description: 'Content of `.fleet/token`.' },
    },
  },
};
