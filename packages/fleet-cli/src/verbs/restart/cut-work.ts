/**
 * Asks the watcher to have the owners of the work in hand told that it is cut. Each conversation is told once,
 * by its gateway; this only says who was told, and who could not be.
 */

import { counted } from '../../text/fields.ts';
import { visible } from '../../text/visible.ts';
import { askWatcher } from '../../watcher-client/request.ts';

export interface CutResult {
  /** Conversations that were told. */
  readonly told: number;
  /** Whom it could not be said to, or of whom that is unknown; a line each. */
  readonly untold: readonly string[];
}

export interface CutRequest {
  /** Of the operation: the same id again tells nobody twice. */
  readonly id: string;
  readonly profile: string;
  readonly reason: string;
  readonly deadlineMs: number;
}

/** Milliseconds beside the deadline for the answer itself. */
const ANSWER_MS = 2_000;

export async function cutWork(
  root: string,
  { id, profile, reason, deadlineMs }: CutRequest,
): Promise<CutResult> {
  const path = `/v1/profiles/${profile}/cut`;
  const answer = await askWatcher(root, path, {
    timeoutMs: deadlineMs + ANSWER_MS,
    post: { id, reason, deadline_ms: deadlineMs },
  });
  if (!answer.reached) return nobody(profile, `the watcher could not be asked: ${answer.why}`);
  const gateways = answer.status === 200 ? gatewaysIn(answer.text) : null;
  if (gateways === null) {
    return nobody(profile, `the watcher cannot tell them (status ${answer.status})`);
  }
  return {
    told: gateways.reduce((sum, { told }) => sum + (told ?? 0), 0),
    untold: gateways.flatMap((gateway) => untoldBy(profile, gateway)),
  };
}

const nobody = (profile: string, why: string): CutResult => ({
  told: 0,
  untold: [`NOT told: the owners of what ${profile} has in hand: ${why}`],
});

interface ToldBy {
  readonly instance: string;
  readonly outcome: string;
  readonly told: number | null;
  readonly failed: number | null;
}

function untoldBy(profile: string, { instance, outcome, failed }: ToldBy): string[] {
  const gateway = `gateway \`${visible(instance)}\``;
  switch (outcome) {
    case 'done':
      if (failed === 0) return [];
      return [`NOT told: ${counted(failed ?? 0, 'conversation')} of ${profile}, by ${gateway}`];
    case 'unsupported':
      return [`NOT told: whoever ${gateway} works for in ${profile}: it is too old to tell them`];
    default:
      return [`not known whether told: whoever ${gateway} works for in ${profile}: it is silent`];
  }
}

/** null: not an answer to a cut. The watcher is another process and may be another version. */
function gatewaysIn(text: string): readonly ToldBy[] | null {
  try {
    const { schema, gateways } = JSON.parse(text) as { schema?: unknown; gateways?: unknown };
    if (schema !== 'fleet/cut/v1' || !Array.isArray(gateways)) return null;
    return gateways.map((gateway: { readonly [key: string]: unknown }) => ({
      instance: String(gateway['instance']),
      outcome: String(gateway['outcome']),
      told: countIn(gateway['told']),
      failed: countIn(gateway['failed']),
    }));
  } catch {
    return null;
  }
}

const countIn = (value: unknown): number | null =>
  Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : null;
