/**
 * The keys of one webhook as its secret file has them now, and whoever waits until it has some.
 * How the file is read is `secret.ts`.
 */
import { readSecrets, type Secrets } from './secret.ts';

type Keys = Extract<Secrets, { readonly state: 'read' }>['keys'];

export interface Keyring {
  /** Once there are keys, read this moment; null: closed. */
  usable(): Promise<Keys | null>;
  /** Why there are none; null: there are. */
  readonly refused: string | null;
  /** Another file from now on. */
  use(file: string): void;
  close(): void;
}

export interface KeyringOptions {
  readonly root: string;
  readonly file: string;
  /** How often the file is looked at, whether it is needed or not. */
  readonly everyMs: number;
  /** Said when that changes; null: the keys can be used again. */
  readonly changed: (why: string | null) => void;
}

export function keyring({ root, file, everyMs, changed }: KeyringOptions): Keyring {
  let current = file;
  let refused: string | null = null;
  let closed = false;
  let wake = () => {};

  const readAgain = (): Secrets => {
    const found = readSecrets(root, current);
    const why = found.state === 'unusable' ? found.why : null;
    if (why === null) wake();
    if (why !== refused) {
      refused = why;
      changed(why);
    }
    return found;
  };

  readAgain();
  const timer = setInterval(readAgain, everyMs).unref();
  return {
    get refused() {
      return refused;
    },
    async usable() {
      while (!closed) {
        const found = readAgain();
        if (found.state === 'read') return found.keys;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      return null;
    },
    use(next) {
      current = next;
      readAgain();
    },
    close() {
      closed = true;
      clearInterval(timer);
      wake();
    },
  };
}
