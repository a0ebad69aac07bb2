/**
 * From the rename of the sentinel to the last of K gateways having the frame, beside what a user
 * would have instead.
 */
import { spawnSync } from 'node:child_process';
import { type Bench, spreadOf, summary } from '../measure.ts';
import { at, sorted } from '../paired.ts';
import {
  answeredFloor,
  type Contender,
  type Heard,
  natsContender,
  pollContender,
  redisContender,
  silentFloor,
  watcherContender,
} from './contenders.ts';

const SIZES = [1, 100, 1_000];
/** The goals at 1,000 gateways. */
const P50_MS = 20;
const P99_MS = 50;
const OVER_FLOOR = 1.3;
const SOONER_THAN_POLLING = 30;

export async function fanOut(bench: Bench): Promise<void> {
  const has = (command: string): boolean => spawnSync(command, ['--version']).error === undefined;
  const makers = [watcherContender, answeredFloor, silentFloor];
  if (has('redis-server')) makers.push(redisContender);
  else bench.skipped('there is no redis-server here to compare with');
  if (has('nats-server')) makers.push(natsContender);
  else bench.skipped('there is no nats-server here to compare with');
  for (const many of SIZES) {
    const contenders: Contender[] = [];
    try {
      for (const make of makers) contenders.push(await make(bench.dir, many));
      report(bench, many, await inTurn(contenders, bench.rounds || 100));
      await againstPolling(bench, many, contenders[0]);
    } finally {
      for (const contender of contenders) await contender.close();
    }
  }
}

/** One round: each arms and lifts once, another one first every time. */
async function inTurn(
  contenders: readonly Contender[],
  rounds: number,
): Promise<ReadonlyMap<string, readonly Heard[]>> {
  const heard = new Map<string, Heard[]>(contenders.map(({ name }) => [name, []]));
  // Two that do not count: code gets compiled, and buffers get their size.
  for (let round = -2; round < rounds; round++) {
    for (let i = 0; i < contenders.length; i++) {
      const contender = contenders[(i + Math.max(0, round)) % contenders.length];
      const armed = await contender?.toggle(true);
      await contender?.toggle(false);
      if (round >= 0 && armed !== undefined) heard.get(contender?.name ?? '')?.push(armed);
    }
  }
  return heard;
}

function report(
  { say, figure }: Bench,
  many: number,
  heard: ReadonlyMap<string, readonly Heard[]>,
): void {
  const ours = heard.get('fleet') ?? [];
  for (const [name, all] of heard) {
    const last = sorted(all.map(({ lastMs }) => lastMs));
    say(
      `     ${many} gateways, ${name}: last one p50 ${ms(at(last, 0.5))}, p99 ${ms(at(last, 0.99))}` +
        `; of it first to last ${ms(summary(all.map(({ spanMs }) => spanMs)).median)}`,
    );
    if (name === 'fleet') {
      const goals = many === 1_000;
      figure(`${many} gateways, p50`, at(last, 0.5), goals ? P50_MS : null, ms(at(last, 0.5)));
      figure(`${many} gateways, p99`, at(last, 0.99), goals ? P99_MS : null, ms(at(last, 0.99)));
      continue;
    }
    // Within each round, so that a machine that slows down slows both.
    const { median, spread } = summary(
      ours.map(({ lastMs }, round) => lastMs / (all[round]?.lastMs ?? Number.NaN)),
    );
    const limit = many === 1_000 && name === 'a bare write loop, answered' ? OVER_FLOOR : null;
    const shown = `${median.toFixed(2)} times (${spreadOf(spread)}; ${ours.length} rounds)`;
    figure(`${many} gateways, fleet against ${name}`, median, limit, shown);
  }
}

/** By itself: its thousand looks a second would slow down the others. */
async function againstPolling(
  bench: Bench,
  many: number,
  fleet: Contender | undefined,
): Promise<void> {
  if (fleet === undefined) return;
  const polling = await pollContender(bench.dir, many);
  try {
    const heard = await inTurn([fleet, polling], 15);
    const [ours = [], theirs = []] = [...heard.values()];
    const { median, spread } = summary(
      ours.map(({ lastMs }, round) => lastMs / (theirs[round]?.lastMs ?? Number.NaN)),
    );
    const sooner = spreadOf([1 / spread[1], 1 / spread[0]]);
    const shown = `${(1 / median).toFixed(0)} times sooner (${sooner}; ${ours.length} rounds)`;
    const name = `${many} gateways, fleet against ${polling.name}`;
    if (many === 1_000) bench.atLeast(name, 1 / median, SOONER_THAN_POLLING, shown);
    else bench.figure(name, 1 / median, null, shown);
  } finally {
    await polling.close();
  }
}

const ms = (value: number): string => `${value.toFixed(value < 10 ? 2 : 1)} ms`;
