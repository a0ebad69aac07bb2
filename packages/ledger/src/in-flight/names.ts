/**
 * Where the register is, and what the names in it say: whose claim it is, and which process it lives
 * in. So a claim can be judged whatever became of its text.
 * What is written in files is `texts.ts`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';

export const registerFolder = (home: string): string => join(home, '.fleet', 'in-flight');
export const ownersFolder = (home: string): string => join(registerFolder(home), 'owners');
export const claimsFolder = (home: string): string => join(registerFolder(home), 'claims');

export const OWNER_FILE = 'owner.json';

/** One run of one register. The process id is for whoever lists the folder. */
export const newOwner = (): string => `${process.pid}-${randomBytes(8).toString('hex')}`;

export const isOwner = (name: string): boolean => /^\d{1,10}-[0-9a-f]{16}$/.test(name);

/** Names the piece of work; ids come from outside and are never joined into a path. */
export const digestOf = (door: string, id: string): string =>
  createHash('sha256')
    .update(JSON.stringify([door, id]))
    .digest('hex')
    .slice(0, 32);

export const isDigest = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

export interface ClaimName {
  readonly owner: string;
  /** Unique within the owner, never used again. */
  readonly number: number;
  /** The process that the work lives in. */
  readonly pid: number;
  /** As in a process mark; empty: could not be told. */
  readonly birth: string;
}

export const nameOf = ({ owner, number, pid, birth }: ClaimName): string =>
  `${owner}.${number}.${pid}.${birth === '' ? '0' : birth}`;

/** null: no version of this register wrote that. */
export function parseName(name: string): ClaimName | null {
  const parts = /^(\d{1,10}-[0-9a-f]{16})\.(\d{1,15})\.([1-9]\d{0,9})\.(\d{1,15})$/.exec(name);
  if (parts === null) return null;
  const [, owner = '', number = '', pid = '', birth = ''] = parts;
  return { owner, number: Number(number), pid: Number(pid), birth: birth === '0' ? '' : birth };
}
