/**
 * Writes CPython's answers about a few hundred made texts to `data/cpython-stamps.json`, or compares
 * any number of texts with any CPython and lists where we are wider. From the root of the repository:
 *
 *   node scripts/run.mjs packages/sentinel-core/test/conformance/record-stamps.ts [python3]
 *   node scripts/run.mjs packages/sentinel-core/test/conformance/record-stamps.ts python3 300000 SEED
 */
import { writeFileSync } from 'node:fs';
import { parseStamp } from '../../src/model/stamp.ts';
import { cpython } from './cpython.ts';
import { escaped } from './escaped.ts';
import { stampTexts } from './stamp-texts.ts';

const RECORDED = 1_000;
/** Kinds that were found wider once, so that they stay in the sample whatever the seed makes. */
const FOUND = ['2026-01-01Z', '20260101Z', '2026-W01Z', '2026W017Z', ' 2026-01-01Z\n'];

const [, , command = 'python3', count, seed = '2'] = process.argv;
const python = cpython(command);
if ('missing' in python) throw new Error(python.missing);

if (count === undefined) {
  const texts = [...new Set([...FOUND, ...stampTexts(RECORDED, 2)])];
  const verdicts = python.verdicts(texts);
  const lines = texts.map((text, n) => `[${literal(text)},${JSON.stringify(verdicts[n])}]`);
  const file = new URL('./data/cpython-stamps.json', import.meta.url);
  const head = `{"python":"${python.version}","stamps":[\n`;
  writeFileSync(file, `${head}${lines.join(',\n')}\n]}\n`);
} else {
  const texts = [...new Set(stampTexts(Number(count), Number(seed)))];
  const verdicts = python.verdicts(texts);
  const tally = { equal: 0, refused: 0, narrower: 0, wider: 0 };
  texts.forEach((text, n) => {
    const theirs = verdicts[n] ?? null;
    const ours = parseStamp(text)?.toString() ?? null;
    const kind =
      ours === theirs
        ? ours === null
          ? 'refused'
          : 'equal'
        : ours === null
          ? 'narrower'
          : 'wider';
    tally[kind] += 1;
    if (kind === 'wider') process.stdout.write(`${escaped(text)} ours ${ours} theirs ${theirs}\n`);
  });
  process.stdout.write(
    `CPython ${python.version}, ${texts.length} texts: ${JSON.stringify(tally)}\n`,
  );
}

/** A JSON string in ASCII, so that no editor or tool changes what it says. */
function literal(text: string): string {
  return JSON.stringify(text).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
