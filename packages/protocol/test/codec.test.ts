import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  decodeFromGateway,
  decodeFromWatcher,
  encode,
  encodeState,
  lineReader,
  MAX_LINE_BYTES,
  PROTOCOL,
  ProtocolError,
  type State,
} from '../src/index.ts';

const hello = {
  type: 'hello',
  protocol: PROTOCOL,
  instance: 'i1',
  pid: 42,
  software: 'sample/1.0',
  profiles: [{ name: 'lane-a', doors: ['turn'], in_flight: 3 }],
} as const;

const state = (reason: string, holds = 1): State => ({
  type: 'state',
  epoch: 'e1',
  revision: 7,
  profile: 'lane-a',
  engaged: true,
  holds: Array.from({ length: holds }, (_, at) => ({
    scope: 'root',
    id: `h${at}`,
    holder: 'operator',
    reason,
    since: null,
    expires_at: '2990-01-01T00:00:00.000+00:00',
  })),
});

test('what a gateway says comes back as it was said', () => {
  expect(decodeFromGateway(encode(hello))).toEqual(hello);
  const ack = { type: 'ack', epoch: 'e', revision: 1, profile: 'p', in_flight: 0 } as const;
  expect(decodeFromGateway(encode(ack))).toEqual(ack);
  const alive = { type: 'alive', profiles: [{ name: 'p', in_flight: 1, refused: 2 }] } as const;
  expect(decodeFromGateway(encode(alive))).toEqual(alive);
});

test('a hello with a secret comes back with it, and one of an older gateway without', () => {
  const secret = 's'.repeat(43);
  expect(decodeFromGateway(encode({ ...hello, secret }))).toEqual({ ...hello, secret });
  expect(decodeFromGateway(encode(hello))).not.toHaveProperty('secret');
});

test.each([
  ['too short to be one', 's'.repeat(31)],
  ['too long', 's'.repeat(257)],
  ['no text', 4_711_471_147_114_711],
  ['null', null],
])('a secret that is %s is refused, and not repeated', (_what, secret) => {
  const line = JSON.stringify({ ...hello, secret });
  expect(() => decodeFromGateway(line)).toThrow('`secret`');
  expect(() => decodeFromGateway(line)).not.toThrow(`${secret}`);
});

test('what the watcher says comes back as it was said', () => {
  expect(decodeFromWatcher(encode(state('fan-out')))).toEqual(state('fan-out'));
});

test('a state whose `engaged` is missing or odd is held', () => {
  for (const engaged of [undefined, null, 0, '', 'false']) {
    const line = JSON.stringify({ ...state('x'), engaged });
    expect(decodeFromWatcher(line)).toMatchObject({ type: 'state', engaged: true });
  }
});

test('fields of a newer version are ignored', () => {
  expect(decodeFromGateway(JSON.stringify({ ...hello, mood: 'calm' }))).toEqual(hello);
});

test.each([
  ['not JSON', '{', 'not JSON'],
  ['no object', '[]', 'not an object'],
  ['an unknown type', '{"type":"x"}', '`type`'],
  ['a negative count', JSON.stringify({ ...hello, pid: -1 }), '`pid`'],
  ['a count beyond 2^53', JSON.stringify({ ...hello, pid: 2 ** 60 }), '`pid`'],
  ['an empty name', JSON.stringify({ ...hello, instance: '' }), '`instance`'],
  ['a name without end', JSON.stringify({ ...hello, instance: 'x'.repeat(300) }), '`instance`'],
  ['profiles that are no list', JSON.stringify({ ...hello, profiles: {} }), '`profiles`'],
])('%s is refused, and the message names it', (_what, line, named) => {
  expect(() => decodeFromGateway(line)).toThrow(ProtocolError);
  expect(() => decodeFromGateway(line)).toThrow(named);
});

test('what is nested deeper than a stack is refused like anything else', () => {
  const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
  for (const line of [`{"type":${deep}}`, `{"type":"hello","protocol":${deep}}`, deep]) {
    expect(() => decodeFromGateway(line)).toThrow(ProtocolError);
    expect(() => decodeFromWatcher(line)).toThrow(ProtocolError);
  }
});

test('no text at all makes a reader throw anything but a ProtocolError', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (line) => {
      for (const decode of [decodeFromGateway, decodeFromWatcher]) {
        try {
          decode(line);
        } catch (error) {
          expect(error).toBeInstanceOf(ProtocolError);
        }
      }
    }),
  );
});

test('a state that would be too long loses reasons, and never holds or deadlines', () => {
  const line = encodeState(state('é'.repeat(1_024), 192));
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(MAX_LINE_BYTES);
  const read = decodeFromWatcher(line);
  expect(read).toMatchObject({ shortened: true, engaged: true });
  expect((read as State).holds).toHaveLength(192);
  expect((read as State).holds.every((hold) => hold.expires_at !== null)).toBe(true);
});

test('a state of holds that no reader takes says that it is held, and is taken', () => {
  const [one] = state('x').holds;
  const strange = ['x'.repeat(300), ''].map((id) => ({ ...one!, id }));
  const read = decodeFromWatcher(encodeState({ ...state('x'), holds: [...strange, one!] }));
  expect(read).toEqual({ ...state('x'), shortened: true });
  expect(decodeFromWatcher(encodeState({ ...state('x'), holds: strange }))).toMatchObject({
    engaged: true,
    holds: [],
    shortened: true,
  });
  const many = decodeFromWatcher(encodeState(state('x', 1_000)));
  expect(many).toMatchObject({ engaged: true, shortened: true });
  expect((many as State).holds).toHaveLength(192);
});

test('a stream cut anywhere gives the same lines', () => {
  const text = `${encode(hello)}${encode(state('…'))}\n${encode(hello)}`;
  const bytes = new TextEncoder().encode(text);
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 12 }), (cuts) => {
      const lines: string[] = [];
      const reader = lineReader((line) => lines.push(line));
      const ends = [...cuts, bytes.length].sort((a, b) => a - b);
      let from = 0;
      for (const end of ends) {
        expect(reader.push(bytes.subarray(from, end))).toBe(true);
        from = end;
      }
      expect(lines).toEqual(text.split('\n').filter((line) => line !== ''));
    }),
  );
});

test('a line that is too long, or is no UTF-8, ends the reading', () => {
  const lines: string[] = [];
  const long = lineReader((line) => lines.push(line));
  expect(long.push(new Uint8Array(MAX_LINE_BYTES - 1).fill(97))).toBe(true);
  expect(long.push(Uint8Array.of(97, 10))).toBe(false);
  expect(long.push(new TextEncoder().encode('{}\n'))).toBe(false);
  const garbled = lineReader((line) => lines.push(line));
  expect(garbled.push(Uint8Array.of(0xff, 10))).toBe(false);
  expect(lines).toEqual([]);
});

test('half of a surrogate pair in a reason is no text to a gateway in another language', () => {
  const line = encodeState(state('a\ud800b'));
  expect(line).toContain('a\ufffdb');
  expect(line).not.toMatch(/\\ud[89a-f]/i);
});
