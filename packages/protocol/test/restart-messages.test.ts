/** The messages of a restart: who the gateway is, cutting its work, and saying goodbye. */
import { expect, test } from 'vitest';
import {
  decodeFromGateway,
  decodeFromWatcher,
  encode,
  encodeGoodbye,
  type Goodbye,
  insideEntry,
  MAX_LINE_BYTES,
  PROTOCOL,
  ProtocolError,
  parseInside,
} from '../src/index.ts';

const mark = { pid: 42, start: '1234', boot: 'b', pid_ns: 'pid:[4026531836]' };
const hello = {
  type: 'hello',
  protocol: PROTOCOL,
  instance: 'i1',
  pid: 42,
  software: 'sample/1.0',
  mark,
  unit: 'gateway@a.service',
  resume_spread_ms: 10_000,
  features: ['cut', 'goodbye'],
  profiles: [],
} as const;
const cut = {
  type: 'cut',
  id: 'op-1',
  profile: 'a',
  reason: 'update',
  deadline_ms: 5_000,
} as const;
const done = {
  type: 'cut-done',
  id: 'op-1',
  profile: 'a',
  told: 2,
  failed: 1,
  left: 0,
} as const;
const goodbye: Goodbye = {
  type: 'goodbye',
  clean: false,
  cut: [{ profile: 'a', door: 'turn', id: 's1' }],
};

test('the messages of a restart come back as they were sent', () => {
  for (const message of [hello, done, goodbye]) {
    expect(decodeFromGateway(encode(message))).toEqual(message);
  }
  expect(decodeFromWatcher(encode(cut))).toEqual(cut);
});

test('features of a newer gateway are left out, and so is whatever is no text', () => {
  const line = JSON.stringify({ ...hello, features: ['fly', 7, 'cut', { a: 1 }] });
  expect(decodeFromGateway(line)).toMatchObject({ features: ['cut'] });
});

test.each([
  ['a mark that is no object', { ...hello, mark: 'x' }],
  ['a mark of process 0', { ...hello, mark: { ...mark, pid: 0 } }],
  ['a mark without its start', { ...hello, mark: { ...mark, start: undefined } }],
  ['a mark without end', { ...hello, mark: { ...mark, boot: 'x'.repeat(65) } }],
  ['a unit without end', { ...hello, unit: 'x'.repeat(257) }],
  ['a unit that is no text', { ...hello, unit: null }],
  ['a spread that is no number', { ...hello, resume_spread_ms: '10s' }],
  ['a spread before now', { ...hello, resume_spread_ms: -1 }],
  ['features that are no list', { ...hello, features: 'cut' }],
  ['too many features', { ...hello, features: Array.from({ length: 17 }, () => 'cut') }],
  ['an answer with a negative count', { ...done, told: -1 }],
  ['an answer without an id', { ...done, id: '' }],
  ['a goodbye with too much work', { ...goodbye, cut: Array(65).fill(goodbye.cut[0]) }],
  ['a goodbye with work without a name', { ...goodbye, cut: [{ profile: 'a', door: 'turn' }] }],
])('%s is refused', (_what, message) => {
  expect(() => decodeFromGateway(JSON.stringify(message))).toThrow(ProtocolError);
});

test.each([
  ['no time', { ...cut, deadline_ms: '5' }],
  ['no profile', { ...cut, profile: undefined }],
  ['an endless id', { ...cut, id: 'x'.repeat(257) }],
])('a cut with %s is refused', (_what, message) => {
  expect(() => decodeFromWatcher(JSON.stringify(message))).toThrow(ProtocolError);
});

test('a reason without end is cut, and an odd `clean` is not clean', () => {
  const long = JSON.stringify({ ...cut, reason: 'x'.repeat(5_000) });
  expect(decodeFromWatcher(long)).toMatchObject({ reason: 'x'.repeat(1_024) });
  const odd = JSON.stringify({ ...goodbye, clean: 'true', cut: [] });
  expect(decodeFromGateway(odd)).toMatchObject({ clean: false });
});

test('a goodbye with any amount of work fits into a line that the other end accepts', () => {
  const word = '\u0001'.repeat(256);
  const many = Array.from({ length: 1_000 }, () => ({ profile: word, door: word, id: word }));
  const line = encodeGoodbye(many);
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LINE_BYTES);
  const read = decodeFromGateway(line) as Goodbye;
  expect(read.clean).toBe(false);
  expect(read.cut.length).toBeGreaterThan(0);
  expect(decodeFromGateway(encodeGoodbye([]))).toMatchObject({ clean: true, cut: [] });
});

test('a child reads which gateways it runs inside, whatever their names contain', () => {
  const gateways = [
    { pid: 42, start: '1234', instance: 'gw 1:2' },
    { pid: 43, start: '', instance: 'é' },
  ];
  expect(parseInside(gateways.map(insideEntry).join(' '))).toEqual(gateways);
});

test.each([undefined, '', 'x', '0:1:a', '42:1:', '42:x:a', '42:1:%zz', '-1:1:a', '42:1:a:b'])(
  'an entry that no gateway wrote is no gateway: %j',
  (text) => {
    expect(parseInside(text)).toEqual([]);
  },
);
