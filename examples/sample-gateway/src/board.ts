/**
 * The board: one file per card in the folder of its column. A card moves by rename, so that it is in one
 * column at a time and only one of several processes gets it. Dispatching cards is `dispatch.ts`.
 */
import {
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isMissing, readSmall, replaceFile } from './small-files.ts';

export const COLUMNS = ['todo', 'doing', 'done', 'failed'] as const;
export type Column = (typeof COLUMNS)[number];

export interface Card {
  readonly id: string;
  readonly title: string;
  /** Number of steps of the work. */
  readonly steps: number;
  /** How often its worker failed. */
  readonly failures: number;
  /** Who asked for it. */
  readonly by: string;
}

export interface Board {
  readonly folder: string;
  /** Adds a card to `todo`. false: a card with this id exists already. */
  add(card: Card): boolean;
  /** Ids of the cards in a column, sorted. */
  list(column: Column): readonly string[];
  /** Reads a card; null if it is missing or invalid. */
  read(column: Column, id: string): Card | null;
  /** Moves a card. false: it is no longer in `from`. */
  move(id: string, from: Column, to: Column): boolean;
  /** Counts a failure and moves the card to `todo`, or to `failed` after the third failure. */
  fail(id: string): void;
  /** Removes the oldest cards of `done` until `keep` are left. */
  tidy(keep: number): void;
}

export const CARD_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MAX_FAILURES = 3;

export function openBoard(home: string): Board {
  const folder = join(home, 'board');
  for (const column of COLUMNS) mkdirSync(join(folder, column), { recursive: true, mode: 0o700 });
  const pathOf = (column: Column, id: string): string => join(folder, column, `${id}.json`);

  const list = (column: Column): string[] =>
    readdirSync(join(folder, column))
      .flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -'.json'.length)] : []))
      .filter((id) => CARD_ID.test(id))
      .sort();

  const read = (column: Column, id: string): Card | null => {
    try {
      return cardOf(id, JSON.parse(readSmall(pathOf(column, id))?.text ?? 'null'));
    } catch {
      return null;
    }
  };

  const move = (id: string, from: Column, to: Column): boolean => {
    try {
      renameSync(pathOf(from, id), pathOf(to, id));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  };

  return {
    folder,
    list,
    read,
    move,
    add(card) {
      if (COLUMNS.some((column) => read(column, card.id) !== null)) return false;
      const draft = join(folder, `${card.id}.new`);
      writeFileSync(draft, `${JSON.stringify(card)}\n`, { mode: 0o600 });
      try {
        // `link` never replaces a card that another process has just added.
        linkSync(draft, pathOf('todo', card.id));
        return true;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
        throw error;
      } finally {
        rmSync(draft, { force: true });
      }
    },
    fail(id) {
      const card = read('doing', id);
      if (card === null) return void move(id, 'doing', 'failed');
      const failures = card.failures + 1;
      replaceFile(pathOf('doing', id), `${JSON.stringify({ ...card, failures })}\n`);
      move(id, 'doing', failures < MAX_FAILURES ? 'todo' : 'failed');
    },
    tidy(keep) {
      const doneAt = (id: string): number =>
        statSync(pathOf('done', id), { throwIfNoEntry: false })?.ctimeMs ?? 0;
      const done = list('done');
      if (done.length <= keep) return;
      const byAge = done.map((id) => ({ id, at: doneAt(id) })).sort((a, b) => a.at - b.at);
      for (const { id } of byAge.slice(0, -keep)) rmSync(pathOf('done', id), { force: true });
    },
  };
}

function cardOf(id: string, value: unknown): Card | null {
  if (typeof value !== 'object' || value === null) return null;
  const { title, steps, failures, by } = value as Record<keyof Card, unknown>;
  if (typeof title !== 'string' || typeof by !== 'string') return null;
  if (typeof steps !== 'number' || typeof failures !== 'number') return null;
  return { id, title, steps, failures, by };
}
