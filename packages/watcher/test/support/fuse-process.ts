/**
 * Serves a folder through a read-only FUSE mount: changes in the folder show in the mount without a
 * notice, as on a file system that another host changes.
 * Arguments: the folder, and the mount point. Speaks protocol 7.31 of Linux, as far as a reader
 * needs it.
 */
import { type StdioOptions, spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  lstatSync,
  openSync,
  read,
  readdirSync,
  readlinkSync,
  readSync,
  writeSync,
} from 'node:fs';
import { constants as os } from 'node:os';
import { join } from 'node:path';

const [folder = '', at = ''] = process.argv.slice(2);
const fuse = openSync('/dev/fuse', constants.O_RDWR);

/** Paths by node, and nodes by path; the first is the mount itself. */
const paths: string[] = ['', folder];
const nodeAt = (path: string): number => {
  const known = paths.indexOf(path);
  return known === -1 ? paths.push(path) - 1 : known;
};

const ROOM = 64 * 1_024 + 4_096;

/** Little-endian fields, one after the other. */
function fields(
  ...parts: readonly (readonly [bytes: 2 | 4 | 8, value: number | bigint])[]
): Buffer {
  const buffer = Buffer.alloc(parts.reduce((sum, [bytes]) => sum + bytes, 0));
  let offset = 0;
  for (const [bytes, value] of parts) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), offset);
    else buffer.writeUIntLE(Number(value), offset, bytes);
    offset += bytes;
  }
  return buffer;
}

function attributes(path: string): Buffer {
  const stat = lstatSync(path, { bigint: true });
  const second = 1_000_000_000n;
  const times = [stat.atimeNs, stat.mtimeNs, stat.ctimeNs];
  return fields(
    [8, stat.ino],
    [8, stat.size],
    [8, stat.blocks],
    ...times.map((time) => [8, time / second] as const),
    ...times.map((time) => [4, time % second] as const),
    ...[stat.mode, stat.nlink, stat.uid, stat.gid, stat.rdev].map((it) => [4, it] as const),
    [4, 4_096],
    [4, 0],
  );
}

/** Nothing is kept by the kernel: it asks again every time. */
const entry = (path: string): Buffer =>
  Buffer.concat([
    fields([8, nodeAt(path)], [8, 0], [8, 0], [8, 0], [4, 0], [4, 0]),
    attributes(path),
  ]);

function listing(path: string, from: number): Buffer {
  const kinds = { file: 8, folder: 4, link: 10 };
  const parts = readdirSync(path, { withFileTypes: true }).map((found, index) => {
    const kind = found.isDirectory() ? 'folder' : found.isSymbolicLink() ? 'link' : 'file';
    const name = Buffer.from(found.name);
    const head = fields([8, 1], [8, index + 1], [4, name.length], [4, kinds[kind]]);
    return Buffer.concat([head, name, Buffer.alloc((8 - (name.length % 8)) % 8)]);
  });
  return Buffer.concat(parts.slice(from));
}

function contents(path: string, offset: number, size: number): Buffer {
  const fd = openSync(path, 'r');
  const buffer = Buffer.alloc(size);
  const length = readSync(fd, buffer, 0, size, offset);
  closeSync(fd);
  return buffer.subarray(0, length);
}

const OPENED = fields([8, 0], [4, 0], [4, 0]);
const NOTHING = Buffer.alloc(0);

type Answers = { readonly [opcode: number]: (path: string, body: Buffer) => Buffer };

const answers: Answers = {
  // lookup
  1: (path, body) => entry(join(path, String(body.subarray(0, body.indexOf(0))))),
  // getattr
  3: (path) => Buffer.concat([fields([8, 0], [4, 0], [4, 0]), attributes(path)]),
  // readlink
  5: (path) => Buffer.from(readlinkSync(path)),
  // open, read, release
  14: () => OPENED,
  15: (path, body) => contents(path, Number(body.readBigUInt64LE(8)), body.readUInt32LE(16)),
  18: () => NOTHING,
  // statfs
  17: () =>
    Buffer.concat([Buffer.alloc(40), fields([4, 4_096], [4, 255], [4, 4_096]), Buffer.alloc(28)]),
  // init
  26: () =>
    Buffer.concat([
      fields([4, 7], [4, 31], [4, 65_536], [4, 0], [2, 12], [2, 9], [4, 65_536], [4, 1]),
      Buffer.alloc(36),
    ]),
  // opendir, readdir, releasedir
  27: () => OPENED,
  28: (path, body) =>
    listing(path, Number(body.readBigUInt64LE(8))).subarray(0, body.readUInt32LE(16)),
  29: () => NOTHING,
  // access
  34: () => NOTHING,
};

/** forget, interrupt, batch forget */
const UNANSWERED = [2, 36, 42];

function answer(request: Buffer): void {
  const opcode = request.readUInt32LE(4);
  if (UNANSWERED.includes(opcode)) return;
  const path = paths[Number(request.readBigUInt64LE(16))] ?? '';
  let errno = 0;
  let reply: Buffer = NOTHING;
  try {
    const make = answers[opcode];
    if (make === undefined) errno = os.errno.ENOSYS;
    else reply = make(path, request.subarray(40));
  } catch (error) {
    errno = Math.abs((error as NodeJS.ErrnoException).errno ?? os.errno.EIO);
  }
  const head = Buffer.alloc(16);
  head.writeUInt32LE(16 + reply.length, 0);
  head.writeInt32LE(-errno, 4);
  request.copy(head, 8, 8, 16);
  try {
    writeSync(fuse, Buffer.concat([head, reply]));
  } catch {
    // Whoever asked is gone.
  }
}

function serve(): void {
  read(fuse, Buffer.alloc(ROOM), 0, ROOM, null, (error, length, buffer) => {
    // Unmounted.
    if (error?.code === 'ENODEV') process.exit(0);
    if (error === null) answer(buffer.subarray(0, length));
    serve();
  });
}

const start = (command: string, words: readonly string[], stdio: StdioOptions) =>
  spawn(command, words, { detached: true, stdio });

serve();
const how = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other';
// Not waited for: it may look at what it mounted, and that look is answered here.
const words = ['-i', '-t', 'fuse', '-o', how, 'fleet-test', at];
const mounting = start('mount', words, ['ignore', 'ignore', 'inherit', fuse]);
mounting.on('exit', (code) => {
  if (code !== 0) process.exit(1);
  process.send?.('mounted');
});
process.on('disconnect', () => {
  // Or a dead mount would stay, if the test was killed before it could unmount.
  start('umount', ['--lazy', at], 'ignore').unref();
  process.exit(0);
});
