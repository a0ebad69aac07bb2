/**
 * The speeds that the project promises, each beside what a user would have instead:
 *
 *   npm run bench [-- [checks] [admissions] [commands] [fan-out] [lanes] [--rounds N] [--only TEXT]]
 *
 * Prints ratios with their spread; exits 1 where one is over its limit. Not a test: run it on a
 * machine that does nothing else.
 */
import { parseArgs } from 'node:util';
import { admissions } from './admissions.ts';
import { checks } from './checks.ts';
import { commands } from './commands.ts';
import { fanOut } from './fan-out/bench.ts';
import { lanes } from './lanes/bench.ts';
import { type Bench, runBench } from './measure.ts';

const BENCHES: Readonly<Record<string, (bench: Bench) => void | Promise<void>>> = {
  checks,
  admissions,
  commands,
  'fan-out': fanOut,
  lanes,
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '0' }, only: { type: 'string', default: '' } },
});
const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
const rounds = Number(values.rounds);
if (unknown.length > 0 || !Number.isSafeInteger(rounds) || rounds < 0) {
  const wrong = unknown.length > 0 ? unknown.join(', ') : `--rounds ${values.rounds}`;
  process.stderr.write(`not known: ${wrong}; there are ${Object.keys(BENCHES).join(', ')}\n`);
  process.exit(2);
}
let over = 0;
for (const [name, run] of Object.entries(BENCHES)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue;
  process.stdout.write(`\n${name}\n`);
  over += (await runBench({ rounds, only: values.only }, run)).over;
}
process.exitCode = over > 0 ? 1 : 0;
