/** Parses the command line of the gateway; contains its usage text. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** Home folder of the profile; the root of a fleet is its profile `default`. */
  readonly home: string;
  /** TCP port; 0 takes any free one. */
  readonly port: number;
  /** Cron pattern of the sample job. */
  readonly cron: string;
  readonly boardEveryMs: number;
  /** Milliseconds of one step of a turn or a card. */
  readonly stepMs: number;
  readonly resumeSpreadMs: number;
}

export const USAGE = `sample-gateway --home FOLDER [options]

  --home FOLDER            the home of the profile to serve
  --port N                 port on 127.0.0.1 (default: 0, any free port)
  --cron PATTERN           when the job \`pulse\` is due (default: every 2 seconds)
  --board-every MS         interval of board ticks (default: 1000)
  --step MS                how long a step of work takes (default: 1000)
  --resume-spread MS       after a resume, catch-up starts within this time (default: 10000)
`;

/** A day; a longer interval is probably a mistake. */
const MAX_MS = 86_400_000;

/** Parses the arguments. Throws an error that names the wrong one. */
export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      home: { type: 'string' },
      port: { type: 'string', default: '0' },
      cron: { type: 'string', default: '*/2 * * * * *' },
      'board-every': { type: 'string', default: '1000' },
      step: { type: 'string', default: '1000' },
      'resume-spread': { type: 'string', default: '10000' },
    },
  });
  if (values.home === undefined || values.home === '') throw new Error('--home FOLDER is missing');
  return {
    home: resolve(values.home),
    port: numberOf('--port', values.port, 0, 65_535),
    cron: values.cron,
    boardEveryMs: numberOf('--board-every', values['board-every'], 10, MAX_MS),
    stepMs: numberOf('--step', values.step, 1, MAX_MS),
    resumeSpreadMs: numberOf('--resume-spread', values['resume-spread'], 0, MAX_MS),
  };
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = /^[0-9]{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Error(`${name} must be a whole number from ${least} to ${most}, not \`${text}\``);
}
