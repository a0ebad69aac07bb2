/**
 * The least that anybody could do: wait for the file, and write a ready-made frame to every socket.
 * It composes nothing, keeps no books, and would be wrong about every second thing that happens.
 */
import { statSync, watch } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';

const [root = '', socketPath = '', size = '0'] = process.argv.slice(2);
const sockets: Socket[] = [];
createServer((socket) => {
  sockets.push(socket);
  socket.resume();
}).listen(socketPath, () => process.send?.({ ready: true }));

/** What an answer names, so that it is as long as one to the watcher. */
const STATE = { type: 'state', epoch: '0123456789abcdef', revision: 12_345 };
const frame = (engaged: boolean): Buffer => {
  const bare = JSON.stringify({ ...STATE, engaged, filler: '' });
  const filler = 'x'.repeat(Math.max(0, Number(size) - bare.length - 1));
  return Buffer.from(`${JSON.stringify({ ...STATE, engaged, filler })}\n`);
};
const frames = { held: frame(true), free: frame(false) };
let before = false;
watch(root, (_event, name) => {
  if (name !== 'ESTOP') return;
  const engaged = statSync(join(root, 'ESTOP'), { throwIfNoEntry: false }) !== undefined;
  if (engaged === before) return;
  before = engaged;
  const line = engaged ? frames.held : frames.free;
  for (const socket of sockets) socket.write(line);
});
process.on('disconnect', () => process.exit());
