/**
 * Asks the watcher for its state, at once or when it has changed.
 * What the document says is `state.ts`.
 */
import { MAX_WAIT_PROFILES } from '@fleet-estop/protocol';
import { askWatcher, type NotReached, type RequestOptions } from './request.ts';
import { parseState, type WatcherState } from './state.ts';

export interface AskedState {
  readonly reached: true;
  /** The tag for the next request; null: request the whole document. */
  readonly tag: string | null;
  /** null: not changed since the tag of the request. */
  readonly state: WatcherState | null;
  /** The next request with this tag is answered when the state changes. */
  readonly waits: boolean;
}

interface AskOptions extends Pick<RequestOptions, 'signal'> {
  /** How long the answer may take, without the wait. */
  readonly timeoutMs: number;
  readonly tag?: string;
  /** With a tag, the watcher answers when the state is another one, or after this time. */
  readonly wait?: {
    readonly ms: number;
    /** Only these and their gateways count; empty: all. */
    readonly profiles: readonly string[];
  };
}

export async function askState(
  root: string,
  { tag, wait, timeoutMs, ...request }: AskOptions,
): Promise<AskedState | NotReached> {
  const answer = await askWatcher(root, wait === undefined ? '/v1/state' : waitPath(wait), {
    ...request,
    timeoutMs: timeoutMs + (wait?.ms ?? 0),
    headers: tag === undefined ? {} : { 'if-none-match': tag },
  });
  if (!answer.reached) return answer;
  const { status } = answer;
  // An older watcher, or one that too many clients wait for.
  if (wait !== undefined && (status === 404 || status === 503)) {
    return askState(root, { ...request, timeoutMs, ...(tag === undefined ? {} : { tag }) });
  }
  const waits = wait !== undefined && (answer.tag !== null || status === 304);
  if (status === 304 && tag !== undefined) return { reached: true, tag, state: null, waits };
  const state = status === 200 ? parseState(answer.text) : null;
  if (state !== null) return { reached: true, tag: answer.tag, state, waits };
  return { reached: false, why: `its answer is not understood (status ${status})`, absent: false };
}

function waitPath({ ms, profiles }: Required<AskOptions>['wait']): string {
  const query = new URLSearchParams({ timeout: `${Math.round(ms)}` });
  if (profiles.length <= MAX_WAIT_PROFILES)
    for (const name of profiles) query.append('profile', name);
  return `/v1/wait?${query}`;
}
