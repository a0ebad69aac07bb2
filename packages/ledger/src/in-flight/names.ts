/**
 * Paths and names of the register. The name of a claim contains its owner and its process, so that a
 * claim can be judged even if its text is lost.
 * The contents of the files are `texts.ts`.
 */
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';

export const registerFolder = (home: string): string => join(home, '.fleet', 'in-flight');
export const ownersFolder = (home: string): string => join(registerFolder(home), 'owners');
export const claimsFolder = (home: string): string => join(registerFolder(home), 'claims');

export const OWNER_FILE = 'owner.json';

/** The name of one run of a register. The process id helps people who list the folder. */
export const newOwner = (): string => `${process.pid}-${randomBytes(8).toString('hex')}`;

export const isOwner = (name: string): boolean => /^\d{1,10}-[0-9a-f]{16}$/.test(name);

/** The folder name of a piece of work. Ids come from outside and are never joined into a path. */
export const digestOf = (door: string, id: string): string =>
  createHash('sha256')
    .update(JSON.stringify([door, id]))
    .digest('hex')
    .slice(0, 32);

export const isDigest = (name: string): boolean => /^[0-9a-f]{32}$/.test(name);

export interface ClaimName {
  readonly owner: string;
  /** Unique within the owner, never reused. */
  readonly number: number;
  /** The process that does the work. */
  readonly pid: number;
  /** As in a process mark; '' if unknown. */
  readonly birth: string;
}

export const nameOf = ({ owner, number, pid, birth }: ClaimName): string =>
  `${owner}.${number}.${pid}.${birth === '' ? '0' : birth}`;

/** Parses the name of an entry; null if no version of this register writes such names. */
export function parseName(name: string): ClaimName | null {
  const parts = /^(\d{1,10}-[0-9a-f]{16})\.(\d{1,15})\.([1-9]\d{0,9})\.(\d{1,15})$/.exec(name);
  if (parts === null) return null;
  const [, owner = '', number = '', pid = '', birth = ''] = parts;
  return { owner, number: Number(number), pid: Number(pid), birth: birth === '0' ? '' : birth };
}
