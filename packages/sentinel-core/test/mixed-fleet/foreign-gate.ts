/**
 * A process that asks at its gate as another implementation does, one without tenures: it reads the
 * sentinel, moves an expired one aside, looks at what it got, and links back what it did not mean.
 * `FOLDER [dozeMs]`; with a doze it begins its move only once the file that it examined has been
 * replaced, and keeps what it got aside for that long. It says `ready`, then `examined`.
 */
import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';

const [, , folder = '', doze] = process.argv;
const sentinel = join(folder, 'ESTOP');
const dozeMs = Number(doze ?? 0);

interface Examined {
  readonly identity: string;
  readonly expired: boolean;
}

function examine(path: string): Examined | null {
  try {
    const { mtimeNs, size } = lstatSync(path, { bigint: true });
    const body = JSON.parse(readFileSync(path, 'utf8'));
    const identity = String(body.generation ?? `${mtimeNs}:${size}`);
    return { identity, expired: Date.parse(body.expires_at) <= Date.now() };
  } catch {
    return null;
  }
}

function retire(examined: Examined): void {
  const aside = join(folder, `.ESTOP.retiring-${process.pid}-${randomBytes(4).toString('hex')}`);
  if (!succeeds(() => renameSync(sentinel, aside))) return;
  if (dozeMs > 0) sleep(dozeMs);
  if (examine(aside)?.identity !== examined.identity) succeeds(() => linkSync(aside, sentinel));
  succeeds(() => unlinkSync(aside));
}

function succeeds(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

const inodeOf = (): bigint | undefined =>
  lstatSync(sentinel, { bigint: true, throwIfNoEntry: false })?.ino;
const sleep = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

process.stdout.write('ready\n');
for (;;) {
  const inode = inodeOf();
  const examined = examine(sentinel);
  if (examined?.expired) {
    if (dozeMs > 0) {
      process.stdout.write('examined\n');
      while (inodeOf() === inode);
    }
    retire(examined);
  }
  sleep(Math.random());
}
