/** Quoted replies in failure messages are bounded and visible. */
import { expect, test } from 'vitest';
import { quoted } from '../../src/kit/cases/control.ts';

test('a short answer is repeated as it is', () => {
  expect(quoted('Paused lane-a: déjà vu 🎉.')).toBe('"Paused lane-a: déjà vu 🎉."');
  expect(quoted('')).toBe('""');
});

test('an answer is one line, and nothing in it speaks to a terminal or turns the text round', () => {
  expect(quoted('a\nb\t"c" \\')).toBe('"a\\nb\\t\\"c\\" \\\\"');
  expect(quoted('\u001b[2J\u007f\u009b\u202e\u200b\u2028\u{e0041}\u3164\ud800')).toBe(
    '"\\u001b[2J\\u{7f}\\u{9b}\\u{202e}\\u{200b}\\u{2028}\\u{e0041}\\u{3164}\\ud800"',
  );
});

test('a long answer is cut, never within a character, and how much more there is is said', () => {
  expect(quoted('x'.repeat(200))).toBe(`"${'x'.repeat(200)}"`);
  expect(quoted('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(200)}" and 999800 characters more`);
  expect(quoted(`${'x'.repeat(199)}🎉y`)).toBe(`"${'x'.repeat(199)}" and 3 characters more`);
  expect(quoted('\u202e'.repeat(500)).length).toBeLessThan(2_000);
});
