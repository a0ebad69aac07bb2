/**
 * One step as a line that a person can follow.
 */
import type { Result, Value } from './posix-world.ts';
import { readBody } from './protocol.ts';
import type { Successor } from './transitions.ts';

export function labelOf({ actor, outcome, state }: Successor): string {
  if (outcome === null) {
    const walks = actor.index in state.extra.walks;
    return `${actor.name}: ${walks ? 'has walked to the folder of its next call' : 'KILL -9'}`;
  }
  const { request, result, arrival } = outcome;
  const [op, ...operands] = request;
  const call = `${op}(${operands
    .filter((operand) => operand !== '')
    .map(briefText)
    .join(', ')})`;
  const { ending } = arrival;
  const ends = ending === null || actor.role === 'foreign' ? '' : briefAnswer(ending.value);
  return `${actor.name}: ${call}${briefResult(op, result)}${ends}`;
}

function briefResult(op: string, result: Result): string {
  if ('code' in result) return ` -> ${result.code}`;
  const { value } = result;
  if (value === null) return op === 'lstat' ? ' -> nothing' : '';
  return ` -> ${briefValue(value)}`;
}

function briefValue(value: Value): string {
  if (typeof value === 'string') return value === '' ? 'empty' : briefText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if ('ino' in value) return `${value.kind} ${value.ino}`;
  return `[${value.join(', ')}]`;
}

/** A body by its generation and the ids of its holds. */
function briefText(text: string): string {
  if (!text.startsWith('{')) return text;
  const body = readBody(text, '?');
  if (body === null) return 'a torn body';
  const ids = body.holds?.map(({ id, holder }) => (holder === null ? id : `${id} of ${holder}`));
  return `the body ${body.generation}${ids === undefined ? '' : ` (${ids.join(', ')})`}`;
}

function briefAnswer(value: unknown): string {
  return `   => ${JSON.stringify(value, (_key, part: unknown) => {
    const hold = part as { id?: unknown; raw?: unknown } | null;
    return typeof part === 'object' && hold?.raw !== undefined ? hold?.id : part;
  })}`;
}
