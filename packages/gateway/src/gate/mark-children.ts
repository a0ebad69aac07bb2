/**
 * Marks the environment of this process, which its children inherit: they run inside this gateway.
 * The form of the mark is the protocol's; who refuses because of it is the command line.
 */
import { INSIDE_GATEWAY, insideEntry, MAX_INSIDE } from '@fleet-estop/protocol';
import { markOf } from '@fleet-estop/sentinel-core';

/** Returns a function that removes the mark. Marks of gateways around this one stay. */
export function markChildren(instance: string): () => void {
  const { pid } = process;
  const entry = insideEntry({ pid, start: markOf()?.birth ?? '', instance });
  const known = entries();
  // The last entries of a long list would not be read.
  if (known.length < MAX_INSIDE && !known.includes(entry)) write([...known, entry]);
  return () => write(entries().filter((other) => other !== entry));
}

const entries = (): string[] =>
  (process.env[INSIDE_GATEWAY] ?? '').split(' ').filter((entry) => entry !== '');

function write(list: readonly string[]): void {
  if (list.length === 0) delete process.env[INSIDE_GATEWAY];
  else process.env[INSIDE_GATEWAY] = list.join(' ');
}
