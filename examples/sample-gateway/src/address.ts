/**
 * Reads and writes the file in the home that contains the gateway's address, for clients that know the
 * home. The file does not prove that the gateway still listens.
 */
import type { Server } from 'node:http';
import { join } from 'node:path';
import { readSmall, replaceFile } from './small-files.ts';

export const addressFile = (home: string): string => join(home, 'gateway.json');

/** Writes the file and returns the address. */
export function writeAddress(home: string, server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new Error('the server does not listen on TCP');
  const url = `http://127.0.0.1:${address.port}`;
  replaceFile(addressFile(home), `${JSON.stringify({ url, pid: process.pid })}\n`);
  return url;
}

/** The address of the gateway; null if there is no file. */
export function readAddress(home: string): string | null {
  const file = readSmall(addressFile(home));
  if (file === null) return null;
  const { url } = JSON.parse(file.text) as { url?: unknown };
  return typeof url === 'string' ? url : null;
}
