/**
 * What a link is called towards a watcher. Two of one process with one name would take turns for
 * ever: each that says hello is, to the watcher, the other one that came back.
 */

/** Of this process, the names of open links, each with the socket at which it is one. */
const namesInUse = new Set<string>();

export interface OwnName {
  readonly name: string;
  /** Somebody else may have it. */
  release(): void;
}

/** The name that is wanted, or where a link of this process has it already, `<wanted>.<number>`. */
export function ownName(socketPath: string, wanted: string): OwnName {
  const keyOf = (name: string): string => `${socketPath}\n${name}`;
  let name = wanted;
  for (let nth = 1; namesInUse.has(keyOf(name)); nth += 1) name = `${wanted}.${nth}`;
  namesInUse.add(keyOf(name));
  let isOurs = true;
  return {
    name,
    release() {
      // A second time, it may be somebody else's by now.
      if (isOurs) namesInUse.delete(keyOf(name));
      isOurs = false;
    },
  };
}
