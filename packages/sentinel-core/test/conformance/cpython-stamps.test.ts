/**
 * Nothing is read as a deadline that CPython refuses or reads as another instant: such a hold would
 * end here and stand there.
 * The texts are made by `stamp-texts.ts`. Where we are stricter on purpose is `../../src/model/stamp.ts`.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseStamp } from '../../src/model/stamp.ts';
import { needs } from '../support/needs.ts';
import { cpython, type Verdict } from './cpython.ts';
import { escaped } from './escaped.ts';
import { stampTexts } from './stamp-texts.ts';

interface RecordedStamps {
  readonly python: string;
  readonly stamps: readonly (readonly [text: string, verdict: Verdict])[];
}

const file = new URL('./data/cpython-stamps.json', import.meta.url);
const recorded: RecordedStamps = JSON.parse(readFileSync(file, 'utf8'));

/** Texts that we read and CPython does not, or not as the same instant. */
const wider = (stamps: RecordedStamps['stamps']) =>
  stamps.flatMap(([text, theirs]) => {
    const ours = parseStamp(text)?.toString() ?? null;
    return ours === null || ours === theirs ? [] : [{ text: escaped(text), ours, theirs }];
  });
const understood = (stamps: RecordedStamps['stamps']) =>
  stamps.filter(([text]) => parseStamp(text) !== null).length;

describe('the recorded answers of CPython', () => {
  it('are hundreds, of both kinds', () => {
    const refused = recorded.stamps.filter(([, verdict]) => verdict === null).length;
    expect(refused).toBeGreaterThan(200);
    expect(recorded.stamps.length - refused).toBeGreaterThan(200);
  });

  it('are never exceeded: no text is a deadline here that it refused or read as another instant', () => {
    expect(wider(recorded.stamps)).toEqual([]);
  });

  it('are mostly shared: nine of ten deadlines that it read are deadlines here', () => {
    const read = recorded.stamps.filter(([, verdict]) => verdict !== null);
    expect(understood(read) / read.length).toBeGreaterThan(0.9);
  });
});

describe('the CPython of this machine', () => {
  const python = cpython();
  needs('missing' in python ? python.missing : undefined);

  it('refuses none of 20,000 made texts that are deadlines here, and reads the same instants', () => {
    if ('missing' in python) throw new Error(python.missing);
    const texts = stampTexts(20_000, 1);
    const verdicts = python.verdicts(texts);
    const stamps = texts.map((text, n) => [text, verdicts[n] ?? null] as const);
    expect(wider(stamps)).toEqual([]);
    expect(understood(stamps), 'or the texts say nothing').toBeGreaterThan(2_000);
  });
});
