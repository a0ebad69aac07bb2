/**
 * The disk that an actor sees: it answers from a log of earlier results, and breaks off at the first
 * system call that has none yet. So plain synchronous code can be stopped before any call, and
 * continued from there any number of times, by running it again.
 */
import { ModelDisk } from './model-disk.ts';
import { Errno, type Op, type Request, type Result, type Value } from './posix-world.ts';
import { type Handle, STAGING } from './protocol.ts';

/** Thrown through the protocol, which lets everything fly that has no errno code. */
const BROKEN_OFF = { brokenOff: true };
export const isBreak = (error: unknown): boolean => error === BROKEN_OFF;

/** Where a numbering of tokens begins: at which length of the log, and for which round. */
export interface Numbering {
  readonly from: number;
  readonly round: number;
}

/** Answers a call for which there is no result yet; null: it is to break off here. */
export type RunOn = (disk: ReplayDisk, request: Request) => Result | null;

export class ReplayDisk extends ModelDisk {
  /** The call that has no result yet. */
  request: Request | null = null;
  /** Handles closed since the last result. */
  readonly closed: string[] = [];
  /** How often a tenure was sought, and whether the request begins to seek one. */
  acquisitions = 0;
  acquiring = false;
  /** It has gone on without a tenure. */
  blunt = false;

  private readonly actor: string;
  /** All results so far; grows by what `runOn` answers. */
  readonly log: Result[];
  private readonly runOn: RunOn;
  private readonly numberings: readonly Numbering[];
  private at = 0;
  private tokens = 0;
  private newest = '';
  private newestAt = -1;

  constructor(
    actor: string,
    log: readonly Result[],
    numberings: readonly Numbering[],
    runOn: RunOn = () => null,
  ) {
    super();
    this.runOn = runOn;
    this.actor = actor;
    this.log = [...log];
    this.numberings = numberings;
  }

  override mkdir(path: string): void {
    if (path === STAGING + this.newest && this.newestAt === this.at) {
      this.acquisitions++;
      this.acquiring = this.at === this.log.length;
    }
    super.mkdir(path);
  }

  override namesOf = (handle: Handle) => {
    this.blunt = true;
    return this.call('names', String(handle)) as number;
  };

  close(handle: Handle): void {
    // `finally` blocks run when we break off, too; that is no act of the actor's.
    if (this.request === null) this.closed.push(String(handle));
  }

  token(): string {
    const { from, round } = this.numberings.findLast((numbering) => numbering.from <= this.at)!;
    if (from > this.newestAt) this.tokens = 0;
    this.newestAt = this.at;
    this.newest = `${this.actor}${round}-${this.tokens++}`;
    return this.newest;
  }

  protected call(op: Op, path = '', argument = ''): Value {
    if (this.request !== null) throw BROKEN_OFF;
    let result = this.log[this.at];
    if (result === undefined) {
      const request: Request = [op, path, argument];
      const answer = this.runOn(this, request);
      if (answer === null) {
        this.request = request;
        throw BROKEN_OFF;
      }
      this.log.push(answer);
      result = answer;
    }
    this.at++;
    this.closed.length = 0;
    if ('code' in result) throw Errno.of(result.code);
    return result.value;
  }
}

/** Is this a token of that actor? */
export const isMadeBy = (actor: string, token: string): boolean =>
  token.startsWith(actor) && /^\d+-/.test(token.slice(actor.length));
