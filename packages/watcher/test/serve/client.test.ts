/**
 * Which client a request counts for, with a proxy's headers and with forged ones.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nameOf } from '../../src/serve/client.ts';

const told = (headers: Readonly<Record<string, string>>, remote = '127.0.0.1') =>
  nameOf(remote, (name) => headers[name]);
const byPlain = (text: string) => told({ 'x-forwarded-for': text });
const byForwarded = (text: string) => told({ forwarded: text });

test('who is named by nobody has no name, from whatever address of loopback', () => {
  for (const remote of ['127.0.0.1', '127.9.9.9', '::1', '::ffff:127.0.0.1']) {
    expect([remote, told({}, remote)]).toEqual([remote, null]);
  }
  expect(nameOf(undefined, () => '192.0.2.1')).toBeNull();
});

test('the last hop alone is believed, whatever stands before it', () => {
  expect(byPlain('192.0.2.1')).toBe('192.0.2.1');
  expect(byPlain('198.51.100.7, 10.0.0.1 ,192.0.2.1')).toBe('192.0.2.1');
  expect(byPlain('"made, up" ,, \u00ff, 192.0.2.1')).toBe('192.0.2.1');
  expect(byForwarded('for=198.51.100.7, for=192.0.2.1;proto=https')).toBe('192.0.2.1');
  expect(byForwarded('for="198.51.100.7, proto=http;by=10.0.0.1;For="192.0.2.1"')).toBe(
    '192.0.2.1',
  );
});

test('a port is no part of a name', () => {
  expect(byPlain('192.0.2.1:5071')).toBe('192.0.2.1');
  expect(byPlain('[2001:db8::1]:5071')).toBe('2001:db8:0:0::/64');
  expect(byForwarded('for="[2001:db8::1]:5071"')).toBe('2001:db8:0:0::/64');
});

test('an address of IPv6 counts as its network, and one of IPv4 in it as itself', () => {
  for (const [text, name] of [
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1:2:3:4:5', '2001:db8:0:1::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['fe80::1:80', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['::ffff:0:0', '0.0.0.0'],
  ] as const) {
    expect([text, byPlain(text)]).toEqual([text, name]);
  }
});

test('what is no address names nobody, and never in favour of what another proxy might have said', () => {
  for (const text of [
    '',
    ',',
    '192.0.2.1,',
    'unknown',
    'localhost',
    '192.0.2.256',
    '192.0.2.01',
    '192.0.2.1:',
    '192.0.2.1:port',
    '192.0.2.1 192.0.2.2',
    '[192.0.2.1',
    '::1::',
    ':::::::::',
    `fe80::1%${'x'.repeat(100)}`,
    `${' '.repeat(100)}1${' '.repeat(100)}1`,
  ]) {
    const headers = { 'x-forwarded-for': text, forwarded: 'for=192.0.2.9' };
    expect([text, told(headers)]).toEqual([text, null]);
  }
  for (const text of [
    '',
    'for=unknown',
    'for=_hidden',
    'by=192.0.2.1',
    'xfor=192.0.2.1',
    'for=""',
  ]) {
    expect([text, byForwarded(text)]).toEqual([text, null]);
  }
});

test('a header of any length takes no time that others would wait for', () => {
  const long = ' '.repeat(100_000);
  const fromMs = performance.now();
  for (const text of [`for=${long}"x`, `for="${long}`, `;${long}x`, ';for='.repeat(20_000)]) {
    expect(byForwarded(text)).toBeNull();
  }
  // A thousandth of it, and not the many seconds that trying all ways to read it would take.
  expect(performance.now() - fromMs).toBeLessThan(2_000);
});

test('who comes from elsewhere is named by that, and nothing else', () => {
  expect(told({ 'x-forwarded-for': '192.0.2.1' }, '203.0.113.5')).toBe('203.0.113.5');
  expect(told({}, '::ffff:203.0.113.5')).toBe('203.0.113.5');
});

test('any text names an address, a network, or nobody', () => {
  const piece = fc.constantFrom(
    ':',
    '.',
    '[',
    ']',
    '%',
    'f',
    '0',
    '255',
    ',',
    ';',
    'for=',
    '"',
    ' ',
  );
  const texts = fc.oneof(
    fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join('')),
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  fc.assert(
    fc.property(texts, (text) => {
      for (const name of [byPlain(text), byForwarded(text), byForwarded(`for="[${text}]"`)]) {
        expect(name ?? '0.0.0.0').toMatch(
          /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}::\/64)$/,
        );
      }
    }),
    { numRuns: 2_000 },
  );
});
