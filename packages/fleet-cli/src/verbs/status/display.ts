/**
 * Where states are shown one after another: on a terminal in one place, off it as blocks of lines or
 * as documents; and what makes a state another one there. What one looks like is `verbs/status/text.ts`.
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

export interface DisplayOptions {
  readonly json?: true;
  readonly color?: ColorChoice;
}

export interface Display {
  readonly show: (facts: StatusFacts) => Delivery;
  /** What makes a state another one here. */
  readonly keyOf: (facts: StatusFacts) => string;
  /** So that time goes on where nothing changes; null: what was shown is not touched again. */
  readonly tick: ((facts: StatusFacts) => Delivery) | null;
  readonly close: () => void;
}

/** What makes a state another one: everything in it but the time, and how much work is in hand. */
const keyOf = (facts: StatusFacts): string =>
  JSON.stringify(
    statusDocument({ ...facts, session: { ...facts.session, nowMs: 0 } }),
    (key, value: unknown) => (key === 'in_flight' ? undefined : value),
  );

/** For people: of gateways, no more than they are shown. */
const keyOfText = (facts: StatusFacts): string =>
  JSON.stringify([keyOf({ ...facts, watched: null }), gatewayTexts(facts)]);

export function displayOf({ json, color = 'auto' }: DisplayOptions): Display {
  if (json) return documents();
  if (!canRepaint()) return blocks(color);
  const screen = openScreen();
  const paint = (facts: StatusFacts): Delivery => {
    const nowMs = Date.now();
    const now = { ...facts, session: { ...facts.session, nowMs } };
    // In the frame, and not on stderr, which is most often the same terminal.
    const notes = [...footnotes(now), ...statusNotices(now)];
    const table = statusTable(now, viewOf(color, nowMs));
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

/** One block of lines after the other, each with the time at which it began to be so. */
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
