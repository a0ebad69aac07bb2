/**
 * Cuts the work in hand of a profile before a restart: tells its people, once per conversation, and
 * aborts the work. The request comes from the watcher; aborting is `signals.ts`.
 */
import type { WorkRecord } from '@fleet-estop/ledger';
import type { Cut, CutDone } from '@fleet-estop/protocol';

export interface WorkNotice {
  readonly profile: string;
  /** The owner's address, as it was given to `begin`. */
  readonly conversation: string;
  /** The work of this conversation that is cut. */
  readonly work: readonly WorkRecord[];
  /** For people. Text from outside: escape it before display. */
  readonly reason: string;
  /** The gateway is about to be restarted. */
  readonly restart: true;
}

/** Resolves when the people of the conversation were told. */
export type NoticeListener = (notice: WorkNotice) => void | Promise<void>;

export interface Cutting {
  listen(listener: NoticeListener): () => void;
  /** The same id and profile again gets the same answer. Never rejects. */
  cut(request: Cut): Promise<CutDone>;
}

export interface CuttingOptions {
  /** Own and adopted work; null if the gate does not serve this profile. */
  readonly work: (profile: string) => readonly WorkRecord[] | null;
  readonly left: (profile: string) => number;
  readonly abort: (profile: string, work: WorkRecord, why: string) => void;
}

/** Operations to remember. A restart is over long before so many others have begun. */
const MAX_OPERATIONS = 256;
/** Milliseconds; a longer deadline is shortened. */
const MAX_DEADLINE_MS = 600_000;

interface Operation {
  readonly answers: Map<string, Promise<CutDone>>;
  /** Whether a conversation was told, in whichever profile. */
  readonly told: Map<string, Promise<boolean>>;
}

export function cutting({ work, left, abort }: CuttingOptions): Cutting {
  const listeners = new Set<{ readonly call: NoticeListener }>();
  const operations = new Map<string, Operation>();

  const operationOf = (id: string): Operation => {
    const known = operations.get(id);
    if (known !== undefined) return known;
    const operation = { answers: new Map(), told: new Map() };
    operations.set(id, operation);
    const [oldest] = operations.keys();
    if (operations.size > MAX_OPERATIONS && oldest !== undefined) operations.delete(oldest);
    return operation;
  };

  async function tell(notice: WorkNotice): Promise<boolean> {
    // Nobody can tell these people.
    if (listeners.size === 0) return false;
    const told = [...listeners].map(async ({ call }) => call(notice));
    const results = await Promise.allSettled(told);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) warn(notice, failed.reason);
    return failed === undefined;
  }

  async function run(request: Cut, { told }: Operation): Promise<CutDone> {
    const { id, profile, reason } = request;
    const deadlineMs = Math.min(request.deadline_ms, MAX_DEADLINE_MS);
    const pieces = work(profile) ?? [];
    const cut = (some: readonly WorkRecord[]): void => {
      for (const piece of some) abort(profile, piece, reason === '' ? 'it is cut' : reason);
    };
    cut(pieces.filter(({ conversation }) => conversation === null));
    const results = await Promise.all(
      [...byConversation(pieces)].map(async ([conversation, some]) => {
        const notice = { profile, conversation, work: some, reason, restart: true } as const;
        const known = told.get(conversation) ?? within(deadlineMs, tell(notice));
        told.set(conversation, known);
        const isTold = await known;
        cut(some);
        return isTold;
      }),
    );
    // Work that ends at its signal has ended by then.
    await new Promise((resolve) => setImmediate(resolve));
    const count = results.filter((isTold) => isTold).length;
    const failed = results.length - count;
    return { type: 'cut-done', id, profile, told: count, failed, left: left(profile) };
  }

  return {
    listen(call) {
      const listener = { call };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    cut(request) {
      const operation = operationOf(request.id);
      const answer = operation.answers.get(request.profile) ?? run(request, operation);
      operation.answers.set(request.profile, answer);
      return answer;
    },
  };
}

function byConversation(pieces: readonly WorkRecord[]): Map<string, WorkRecord[]> {
  const found = new Map<string, WorkRecord[]>();
  for (const piece of pieces) {
    if (piece.conversation === null) continue;
    found.set(piece.conversation, [...(found.get(piece.conversation) ?? []), piece]);
  }
  return found;
}

/** false after the deadline: a hanging notice delays nobody. */
async function within(ms: number, told: Promise<boolean>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([told, late]);
  } finally {
    clearTimeout(timer);
  }
}

function warn({ profile }: WorkNotice, error: unknown): void {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.emitWarning(`a notice about work of \`${profile}\` that is cut failed: ${said}`, {
    code: 'FLEET_NOTICE_FAILED',
    detail: 'the other conversations were told nevertheless',
  });
}
