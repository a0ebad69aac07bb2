/**
 * The current keys of one webhook, and waiting until there are some.
 * Reading the file is `secret.ts`.
 */
import { readSecrets, type Secrets } from './secret.ts';

type Keys = Extract<Secrets, { readonly state: 'read' }>['keys'];

export interface Keyring {
  /** Resolves with the current keys, once there are some; null: closed. */
  usable(): Promise<Keys | null>;
  /** Why there are no keys; null: there are some. */
  readonly refused: string | null;
  /** Switches to another file. */
  use(file: string): void;
  close(): void;
}

export interface KeyringOptions {
  readonly root: string;
  readonly file: string;
  /** How often the file is checked, whether or not it is needed. */
  readonly everyMs: number;
  /** Called when that changes; null: there are keys again. */
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
