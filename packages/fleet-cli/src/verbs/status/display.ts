/**
 * Shows one state after another: repainted on a terminal, otherwise as blocks of lines or as JSON documents. It
 * also decides which changes count as a new state.
 * The text of a state is `text.ts`.
 */

import { type Delivery, deliver } from '../../cli/deliver.ts';
import { bothTimes } from '../../text/time.ts';
import { type ColorChoice, viewOf } from '../../text/view.ts';
import { visibleJson } from '../../text/visible.ts';
import type { StatusFacts } from './facts.ts';
import { canRepaint, openScreen } from './screen.ts';
import {
  footnotes,
  gatewaysFoot,
  gatewayTexts,
  statusDocument,
  statusLines,
  statusNotices,
  statusTable,
} from './text.ts';
import { workNotes } from './work-notes.ts';

export interface DisplayOptions {
  readonly json?: true;
  readonly color?: ColorChoice;
}

export interface Display {
  readonly show: (facts: StatusFacts) => Delivery;
  /** Two states with the same key look the same here. */
  readonly keyOf: (facts: StatusFacts) => string;
  /** Repaints the state so that its times stay current; null: output is not repainted. */
  readonly tick: ((facts: StatusFacts) => Delivery) | null;
  readonly close: () => void;
}

/** Everything in a state but the time and the work in hand, which changes all the time. */
const keyOf = (facts: StatusFacts): string =>
  JSON.stringify(
    statusDocument({ ...facts, session: { ...facts.session, nowMs: 0 } }),
    (key, value: unknown) => (key === 'in_flight' || key === 'work' ? undefined : value),
  );

/** For text: of the gateways, only what the text shows. */
const keyOfText = (facts: StatusFacts): string =>
  JSON.stringify([keyOf({ ...facts, watched: null }), gatewayTexts(facts)]);

export function displayOf({ json, color = 'auto' }: DisplayOptions): Display {
  if (json) return documents();
  if (!canRepaint()) return blocks(color);
  const screen = openScreen();
  const paint = (facts: StatusFacts): Delivery => {
    const nowMs = Date.now();
    const now = { ...facts, session: { ...facts.session, nowMs } };
    // Notices are part of the frame, because stderr is usually the same terminal.
    const view = viewOf(color, nowMs);
    const notes = [...footnotes(now), ...workNotes(now, view), ...statusNotices(now)];
    const table = statusTable(now, view);
    return screen.paint(
      [...table, ...(notes.length === 0 ? [] : ['', ...notes])],
      gatewaysFoot(now),
    );
  };
  return { show: paint, keyOf: keyOfText, tick: paint, close: screen.close };
}

/** One document on each line. */
const documents = (): Display => ({
  show: (facts) => {
    deliver(2, textOf(statusNotices(facts)));
    return deliver(1, `${visibleJson(statusDocument(facts), 0)}\n`);
  },
  keyOf,
  tick: null,
  close: () => {},
});

/** One block of lines for each state, with the time at which it began. */
function blocks(color: ColorChoice): Display {
  let separator: readonly string[] = [];
  return {
    show: (facts) => {
      const { nowMs } = facts.session;
      const lines = [`at ${bothTimes(nowMs)}`, ...statusLines(facts, viewOf(color, nowMs))];
      deliver(2, textOf(statusNotices(facts)));
      const delivery = deliver(1, textOf([...separator, ...lines]));
      separator = [''];
      return delivery;
    },
    keyOf: keyOfText,
    tick: null,
    close: () => {},
  };
}

const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');
