/**
 * An operation's answer in a word, for tallies and for the question who won.
 */

export interface Ending {
  readonly value: unknown;
  /** It threw this, and it is no errno. */
  readonly bug?: string;
}

/** The fields by which the answers of all operations differ. */
export interface Answer {
  readonly armed?: boolean;
  readonly id?: string;
  readonly degraded?: string;
  readonly lifted?: boolean;
  readonly assisted?: boolean;
  readonly holds?: readonly { readonly id: string }[];
  readonly retired?: boolean;
  readonly engaged?: boolean;
  readonly unreadable?: string;
  readonly settled?: boolean;
  readonly why?: string;
  readonly threw?: string;
}

export const answerOf = ({ value }: Ending): Answer => (value ?? {}) as Answer;

export function wordFor(ending: Ending): string {
  const { armed, degraded, lifted, retired, engaged, settled, why, threw } = answerOf(ending);
  if (threw !== undefined) return `threw ${threw}`;
  if (armed) return degraded === undefined ? 'armed' : `armed (${degraded})`;
  if (lifted) return 'lifted';
  if (retired) return 'retired';
  if (why !== undefined) return why;
  if (engaged !== undefined) return engaged ? 'engaged' : 'free';
  return settled === undefined ? 'done' : 'recovered';
}
