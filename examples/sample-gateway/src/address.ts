/**
 * Where a gateway listens, as a file of its home: for whoever wants to talk to it and knows the home.
 * That it still listens there is not said.
 */
import type { Server } from 'node:http';
import { join } from 'node:path';
import { readSmall, replaceFile } from './small-files.ts';

export const addressFile = (home: string): string => join(home, 'gateway.json');

/** Answers the address. */
export function writeAddress(home: string, server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it does not listen');
  const url = `http://127.0.0.1:${address.port}`;
  replaceFile(addressFile(home), `${JSON.stringify({ url, pid: process.pid })}\n`);
  return url;
}

/** null: no gateway has said so. */
export function readAddress(home: string): string | null {
  const file = readSmall(addressFile(home));
  if (file === null) return null;
  const { url } = JSON.parse(file.text) as { url?: unknown };
  return typeof url === 'string' ? url : null;
}
