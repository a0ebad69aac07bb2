/** The command line of the gateway, and how it is explained. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export interface Options {
  /** The profile's home folder; the root of a fleet is its lane `default`. */
  readonly home: string;
  /** 0: any that is free. */
  readonly port: number;
  /** When the job of the sample is due. */
  readonly cron: string;
  readonly boardEveryMs: number;
  /** How long one step of a turn or of a card takes. */
  readonly stepMs: number;
  readonly resumeSpreadMs: number;
}

export const USAGE = `sample-gateway --home FOLDER [options]

  --home FOLDER            the home of the profile to serve
  --port N                 of 127.0.0.1 (default: 0, any that is free)
  --cron PATTERN           when the job \`pulse\` is due (default: every 2 seconds)
  --board-every MS         how often the board is looked at (default: 1000)
  --step MS                how long a step of work takes (default: 1000)
  --resume-spread MS       after a resume, what was missed is made up for within (default: 10000)
`;

/** A day: further away, a timer would rather be a mistake. */
const MAX_MS = 86_400_000;

/** Throws an error that says which word is wrong. */
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
  throw new Error(`${name} is \`${text}\`, and must be a whole number from ${least} to ${most}`);
}
