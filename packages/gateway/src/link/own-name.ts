/**
 * Chooses the instance name of a link. Two links of one process with the same name would replace each
 * other for ever: the watcher takes each hello for a reconnect.
 */

/** Names of the open links of this process, each with its socket path. */
const namesInUse = new Set<string>();

export interface OwnName {
  readonly name: string;
  /** Frees the name. Idempotent. */
  release(): void;
}

/** Returns `wanted`, or `<wanted>.<number>` if a link of this process uses it already. */
export function ownName(socketPath: string, wanted: string): OwnName {
  const keyOf = (name: string): string => `${socketPath}\n${name}`;
  let name = wanted;
  for (let nth = 1; namesInUse.has(keyOf(name)); nth += 1) name = `${wanted}.${nth}`;
  namesInUse.add(keyOf(name));
  let isOurs = true;
  return {
    name,
    release() {
      // At a second call the name may belong to another link.
      if (isOurs) namesInUse.delete(keyOf(name));
      isOurs = false;
    },
  };
}
