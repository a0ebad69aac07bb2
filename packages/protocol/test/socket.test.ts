/** The decoders and the schemas describe the same messages. */
import { expect, test } from 'vitest';
import {
  decodeFromGateway,
  decodeFromWatcher,
  encode,
  encodeState,
  type FromGateway,
  type FromWatcher,
  PROTOCOL,
  type State,
} from '../src/index.ts';
import { socket } from '../src/schemas/index.ts';

const served = { name: 'lane-a', doors: ['turn'], in_flight: 3 };
const hello = { protocol: PROTOCOL, instance: 'i', pid: 7, software: 's', profiles: [served] };
const hold = { scope: 'root', id: 'h', holder: null, reason: 'r', since: null, expires_at: null };

const fromGateway: readonly FromGateway[] = [
  { type: 'hello', ...hello },
  { type: 'hello', ...hello, secret: 'x'.repeat(32) },
  { type: 'ack', epoch: 'e', revision: 7, profile: 'lane-a', in_flight: 0 },
  { type: 'alive', profiles: [{ name: 'lane-a', in_flight: 0, refused: 2 }] },
];

const state = { epoch: 'e', revision: 7, profile: 'lane-a', engaged: true } as const;
const fromWatcher: readonly FromWatcher[] = [
  { type: 'state', ...state, holds: [hold] } as State,
  { type: 'state', ...state, engaged: false, holds: [], shortened: true },
  { type: 'alive', epoch: 'e', revision: 7 },
  { type: 'refused', code: 'slow', message: 'm', hint: 'h' },
];

/** As another version might send it. */
const withMore = (line: string) => line.replace('{', '{"later":{"a":1},');

test.each(fromGateway)('the decoder makes what the schema describes: gateway %j', (message) => {
  const line = encode(message);
  expect(socket.fromGateway.parse(JSON.parse(line))).toEqual(message);
  expect(socket.fromGateway.parse(decodeFromGateway(withMore(line)))).toEqual(message);
});

test.each(fromWatcher)('the decoder makes what the schema describes: watcher %j', (message) => {
  const line = encode(message);
  expect(socket.fromWatcher.parse(JSON.parse(line))).toEqual(message);
  expect(socket.fromWatcher.parse(decodeFromWatcher(withMore(line)))).toEqual(message);
});

test.each([
  ['too many holds', { holds: Array(300).fill(hold) }],
  ['a nameless hold', { holds: [{ ...hold, id: '' }] }],
  ['long reasons', { holds: Array(190).fill({ ...hold, reason: 'x'.repeat(9_000) }) }],
])('a state is sent within the bounds of its schema: %s', (_what, change) => {
  const line = encodeState({ type: 'state', ...state, ...change } as State);
  expect(socket.state.safeParse(JSON.parse(line)).success).toBe(true);
});

test.each<[string, object]>([
  ['a short secret', { secret: 'x' }],
  ['a long name', { instance: 'x'.repeat(257) }],
  ['too many doors', { profiles: [{ ...served, doors: Array(65).fill('d') }] }],
  ['half a process', { pid: 0.5 }],
  ['no software', { software: undefined }],
])('the decoder and the schema refuse a hello with %s', (_what, change) => {
  const line = JSON.stringify({ type: 'hello', ...hello, ...change });
  expect(socket.hello.safeParse(JSON.parse(line)).success).toBe(false);
  expect(() => decodeFromGateway(line)).toThrow();
});
